"""A prepared folder is whole or absent, and made once."""

import threading

import pytest

from rlpt.errors import UserError
from rlpt.policy.cache import cached_folder


def test_it_is_built_once_however_many_want_it(tmp_path):
    built = []

    def build(folder):
        built.append(folder)
        (folder / "file").write_text("x")

    threads = [threading.Thread(target=cached_folder, args=(tmp_path / "models" / "m", build)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1
    assert (tmp_path / "models" / "m" / "file").read_text() == "x"


def test_an_interrupted_build_leaves_nothing_behind(tmp_path):
    def build(folder):
        (folder / "half").write_text("x")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cached_folder(tmp_path / "m", build)
    assert not (tmp_path / "m").exists()
    assert cached_folder(tmp_path / "m", lambda folder: None).is_dir()


def test_a_folder_that_cannot_be_written_is_a_plain_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cache_dir=PATH"):
        cached_folder(tmp_path / "file" / "m", lambda folder: None)
