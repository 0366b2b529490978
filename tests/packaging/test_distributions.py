"""What the built distributions hold, and that the wheel runs without the checkout."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest


def build(source: Path, target: str, out: Path) -> Path:
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(out)], cwd=source, check=True)
    return next(out.glob("*.whl" if target == "wheel" else "*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(root, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(root, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of an environment that holds the wheel, and sees the dependencies but not the checkout."""
    environment = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    bin_dir = environment / "bin"
    site_packages = Path(
        subprocess.check_output(
            [bin_dir / "python", "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], text=True
        ).strip()
    )
    # A folder named in a .pth file is searched, but its own .pth files (the editable install) are not read.
    (site_packages / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    pip = [sys.executable, "-m", "pip", "--python", str(bin_dir / "python"), "--quiet"]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--force-reinstall", str(wheel)], check=True)
    return bin_dir


def yaml_files(conf: Path) -> set[str]:
    return {path.relative_to(conf).as_posix() for path in conf.rglob("*.yaml")}


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_carries_every_config_file(wheel: Path, root: Path) -> None:
    prefix = "rlpt/_data/conf/"
    carried = {name.removeprefix(prefix) for name in names(wheel) if name.startswith(prefix)}
    assert carried == {name for name in carried if name.endswith(".yaml")}
    assert carried >= yaml_files(root / "conf")
    assert {f"sweep/{path.name}" for path in (root / "sweeps").glob("*.yaml")} <= carried


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    assert {name.split("/")[0].removesuffix(".dist-info").split("-")[0] for name in names(wheel)} == {"rlpt"}
    assert "rlpt/py.typed" in names(wheel)


def test_the_sdist_builds_the_same_wheel(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    for needed in ("LICENSE", "README.md", "CHANGELOG.md", "Makefile", "launchers/setup/install.sh", "tests"):
        assert (source / needed).exists(), f"{needed} is missing in the sdist"
    for left_behind in (".venv", "runs", "build", "wandb"):
        assert not (source / left_behind).exists()
    assert names(build(source, "wheel", tmp_path / "out")) == names(wheel)


def test_the_installed_wheel_composes_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    result = subprocess.run(
        [installed / "rlpt", "train", "--cfg", "job"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "policy:" in result.stdout
    assert "arithmetic:" in result.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_installed_wheel_uses_its_own_files(installed: Path, tmp_path: Path, root: Path) -> None:
    where = "import rlpt; from rlpt.config.paths import conf_dir; print(rlpt.__file__); print(conf_dir())"
    output = subprocess.check_output([installed / "python", "-c", where], cwd=tmp_path, text=True).splitlines()
    assert len(output) == 2
    for line in output:
        assert Path(line).is_relative_to(installed.parent)
        assert not Path(line).is_relative_to(root)


def test_the_installed_wheel_trains_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    cheap = ("evaluation.tasks_per_domain=8", "mixture.tasks_per_step=6", "algorithm.group_size=4", "tracker=none")
    command = [installed / "rlpt", "train", "policy=tiny", "budget.steps=1", *cheap]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=500)
    assert result.returncode == 0, result.stdout + result.stderr
    (summary,) = tmp_path.glob("runs/*/*/summary.json")
    assert json.loads(summary.read_text())["steps"] == 1
