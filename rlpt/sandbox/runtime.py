"""The files that this machine's Python needs to run: its executable, standard library and shared libraries.

A sandbox shows a program these and nothing else of the machine, so that it cannot find rlpt, a user's data or an
expected result, wherever they may lie. Packages beside the standard library are left out for the same reason.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rlpt.errors import UserError

LEFT_OUT = frozenset(
    {"site-packages", "dist-packages", "test", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3"}
)
"""Folders of the standard library's that no program gets to see."""

PROBE_TIMEOUT_S = 60.0

# Importing every extension module loads every shared library that they need; the kernel then lists them.
PROBE = """
import importlib, json, os, sys, sysconfig
import ctypes
skipped = ("_tkinter", "_curses", "readline", "_dbm", "_gdbm", "_test", "_xx", "xx", "nis", "ossaudiodev")
folders = [path for path in sys.path if path.endswith("lib-dynload") and os.path.isdir(path)]
for folder in folders:
    for name in os.listdir(folder):
        if name.endswith(".so") and not name.startswith(skipped):
            try:
                importlib.import_module(name.split(".")[0])
            except ImportError:
                pass
try:
    ctypes.CDLL("libgcc_s.so.1")  # glibc loads it when a thread is cancelled
except OSError:
    pass
with open("/proc/self/maps") as maps:
    mapped = {line.split(maxsplit=5)[5].strip() for line in maps if len(line.split(maxsplit=5)) == 6}
paths = sysconfig.get_paths()
print(json.dumps({
    "version": sys.version,
    "executable": os.path.realpath("/proc/self/exe"),
    "standard_library": sorted({os.path.realpath(paths["stdlib"]), os.path.realpath(paths["platstdlib"]),
                                *map(os.path.realpath, folders)}),
    "mapped": sorted(path for path in mapped if ".so" in os.path.basename(path) and os.path.isfile(path)),
}))
"""


@dataclass(frozen=True, slots=True)
class Runtime:
    """Paths, all of them real (no link in them) but those of `links`.

    `folders`: of the standard library, none inside another; without what is named in LEFT_OUT.
    `files`: the executable and shared libraries. `links`: path and what it points to.
    """

    version: str
    executable: str
    folders: tuple[str, ...]
    files: tuple[str, ...]
    links: tuple[tuple[str, str], ...]

    @property
    def library_path(self) -> str:
        """Value for LD_LIBRARY_PATH: there is no cache of libraries in a sandbox."""
        return ":".join(sorted({str(Path(file).parent) for file in self.files if file != self.executable}))


@cache
def python_runtime() -> Runtime:
    """Return what the interpreter beneath this process needs.

    Raises:
        UserError: where that cannot be found out.
    """
    interpreter = getattr(sys, "_base_executable", None) or sys.executable
    try:
        probe = subprocess.run(
            [interpreter, "-I", "-S", "-c", PROBE],
            capture_output=True,
            check=True,
            timeout=PROBE_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )
        found = json.loads(probe.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise UserError(
            f"What {interpreter} needs to run in a sandbox cannot be found out ({error}); use another Python."
        ) from error
    folders = [Path(folder) for folder in found["standard_library"]]
    outermost = [folder for folder in folders if not any(other in folder.parents for other in folders)]
    libraries = [Path(path).resolve() for path in found["mapped"]]
    outside = sorted({path for path in libraries if not any(folder in path.parents for folder in outermost)})
    executable = Path(found["executable"])
    links = [(str(link), link.readlink().name) for path in outside for link in _links_to(path)]
    loader = _loader(executable)
    if loader is not None and loader != loader.resolve() and str(loader) not in dict(links):
        links.append((str(loader), str(loader.resolve())))
    return Runtime(
        version=found["version"],
        executable=str(executable),
        folders=tuple(map(str, outermost)),
        files=(str(executable), *(str(path) for path in outside if path != executable)),
        links=tuple(links),
    )


def _links_to(library: Path) -> list[Path]:
    """The links beside a library that point to it, such as libz.so.1 to libz.so.1.2.13."""
    stem = library.name.split(".so")[0]
    links = (path for path in library.parent.glob(f"{stem}.so*") if path.is_symlink())
    return [path for path in links if path.resolve() == library and "/" not in str(path.readlink())]


def _loader(executable: Path) -> Path | None:
    """The dynamic loader that an executable names, by the very path that it names."""
    with executable.open("rb") as file:
        found = re.search(rb"/[\w./-]*/ld[\w.-]*\.so[\w.]*", file.read(4096))
    return Path(found[0].decode()) if found else None
