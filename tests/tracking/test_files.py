"""Files are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rlpt.errors import UserError
from rlpt.tracking.files import atomic_file, dump_json, read_jsonl_zst, write_json, write_jsonl_zst


def test_rows_come_back_as_they_were(tmp_path: Path):
    rows = [{"a": [1, 2.5, None, True], "t": "\ud83d \x00 \u2028 \n é"}, {"b": float("-inf")}, {}]
    write_jsonl_zst(tmp_path / "deep" / "rows.jsonl.zst", rows)
    assert list(read_jsonl_zst(tmp_path / "deep" / "rows.jsonl.zst")) == rows


def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path):
    path = tmp_path / "rows.jsonl.zst"
    write_jsonl_zst(path, [{"x": 1}])

    def rows() -> Iterator[dict[str, int]]:
        yield {"x": 2}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_jsonl_zst(path, rows())
    assert list(read_jsonl_zst(path)) == [{"x": 1}]
    assert [entry.name for entry in tmp_path.iterdir()] == ["rows.jsonl.zst"]


def test_a_file_cut_short_is_an_error_and_no_shorter_list(tmp_path: Path):
    path = tmp_path / "rows.jsonl.zst"
    write_jsonl_zst(path, ({"x": os.urandom(50).hex()} for _ in range(1000)))
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(UserError, match="damaged"):
        list(read_jsonl_zst(path))


def test_something_else_under_the_name_is_an_error(tmp_path: Path):
    path = tmp_path / "rows.jsonl.zst"
    path.write_text("hello")
    with pytest.raises(UserError, match="damaged"):
        list(read_jsonl_zst(path))


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot be written .* resume="):
        write_json(tmp_path / "file" / "x.json", {})


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is missing")
def test_a_full_disk_is_one_sentence(tmp_path: Path):
    with (
        pytest.raises(UserError, match="No space left"),
        atomic_file(tmp_path / "x"),
        Path("/dev/full").open("wb") as f,
    ):
        f.write(b"x" * 100_000)
    assert list(tmp_path.iterdir()) == []


def test_what_json_lacks_is_written_plainly_and_the_rest_refused():
    assert dump_json({"s": {2, 1}, "p": Path("a/b")}, canonical=True) == '{"p":"a/b","s":[1,2]}'
    with pytest.raises(TypeError, match="complex"):
        dump_json({"x": 1j})
