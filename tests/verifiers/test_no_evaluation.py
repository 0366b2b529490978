"""No code that runs in a verifier process evaluates a text: what its modules use, read from their syntax trees."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

BUILTINS = {"eval", "exec", "compile", "__import__", "breakpoint"}
MODULES = {"builtins", "cloudpickle", "code", "dill", "jinja2", "joblib", "latex2sympy2_extended", "marshal", "torch"}
MODULES |= {"math_verify", "numexpr", "pickle", "runpy", "shelve", "subprocess", "sympy", "yaml"}
FUNCTIONS = {"ast.parse", "ast.literal_eval", "os.system", "os.popen", "hydra.utils.instantiate", "hydra.utils.call"}
FUNCTIONS |= {"rlpt.config.build.build"}
SENT = "rlpt/verifiers/inside/"
"""Sent into a sandbox as text. No other module may import it."""
ALLOWED = {
    "rlpt/verifiers/members.py: rlpt.config.build.build": "builds members from their configuration",
    "rlpt/verifiers/unit_tests.py: rlpt.config.build.build": "builds the sandbox from its configuration",
    "rlpt/verifiers/worker.py: hydra.utils.instantiate": "builds verifiers from their configuration",
    "rlpt/verifiers/pattern.py: import_module('re._parser')": "takes a configured pattern apart",
    "rlpt/verifiers/process.py: subprocess": "starts workers, in the parent",
    "rlpt/verifiers/programs.py: ast.parse": "gives a syntax tree, which is looked at and not run",
    "rlpt/verifiers/check_code.py: ast.parse": "the same, of a reference's code",
    "rlpt/verifiers/check_stepping.py: ast.parse": "the same",
    "rlpt/verifiers/naming.py: builtins": "lists the names that every program has",
    "rlpt/gym/items.py: import_module('numpy.random')": "seeds the making of tasks",
    "rlpt/gym/package.py: import_module('reasoning_gym')": "one release, whose scorers rlpt.gym.rules knows",
    "rlpt/gym/package.py: import_module('reasoning_gym.factory')": "the same package",
}


def evaluating(source: str) -> set[str]:
    """What a module uses that could run a text; `import_module` counts by what it is called with."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                found |= {name.name for name in names if name.name.split(".")[0] in MODULES}
            case ast.ImportFrom(module=str(module), names=names):
                dotted = {f"{module}.{name.name}" for name in names}
                found |= {name for name in dotted if name.split(".")[0] in MODULES or name in FUNCTIONS}
                found |= {name for name in (module, *dotted) if f"{name.replace('.', '/')}/".startswith(SENT)}
            case ast.Call(func=ast.Name(id="import_module") | ast.Attribute(attr="import_module")):
                found |= {ast.unparse(node)}
            case ast.Name(id=name) if name in BUILTINS:
                found |= {name}
            case ast.Attribute() if (name := ast.unparse(node)) in FUNCTIONS:
                found |= {name}
    return found


@pytest.mark.parametrize(
    "source",
    [
        *(
            "eval(text)",
            "map(exec, texts)",
            "import pickle",
            "from sympy.parsing import x",
            "from os import system as s",
        ),
        *(
            "from importlib import import_module\nimport_module(text)",
            "import ast\nast.parse(text)",
            "import yaml as y",
        ),
    ],
)
def test_what_evaluates_is_found(source):
    assert evaluating(source)


def test_no_code_of_a_worker_evaluates_a_text():
    files = [file for folder in ("verifiers", "gym") for file in sorted((ROOT / "rlpt" / folder).rglob("*.py"))]
    sources = {str(file.relative_to(ROOT)): file.read_text() for file in files}
    found = {f"{file}: {name}" for file in sources if not file.startswith(SENT) for name in evaluating(sources[file])}
    assert found == {allowed for allowed in ALLOWED if allowed.partition(":")[0] in sources}
