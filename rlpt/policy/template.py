"""A model folder with another chat template: links to the model's own files, and the template beside them."""

from __future__ import annotations

import hashlib
from pathlib import Path

from jinja2 import Environment, TemplateSyntaxError

from rlpt.errors import UserError
from rlpt.policy.cache import cached_folder

NAME = "chat_template.jinja"
"""In a model folder; takes precedence over a template in tokenizer_config.json."""


def with_template(folder: Path, template: Path, cache_dir: Path) -> Path:
    """Return a folder like `folder` whose chat template is that of the file `template`.

    Engine, trainer and export all read this folder, so the exported policy carries the template.

    Raises:
        UserError: where the file cannot be read or is no template.
    """
    try:
        text = template.expanduser().read_text(encoding="utf-8")
        Environment(extensions=["jinja2.ext.loopcontrols"]).parse(text)
    except (OSError, UnicodeError) as error:
        raise UserError(f"policy.chat_template={template} cannot be read ({error}); name a Jinja file.") from error
    except TemplateSyntaxError as error:
        raise UserError(
            f"policy.chat_template={template} is no Jinja template (line {error.lineno}: {error.message}); mend it."
        ) from error
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != NAME)
    stamps = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    key = hashlib.sha256(repr((str(folder.resolve()), stamps, text)).encode()).hexdigest()[:16]

    def build(target: Path) -> None:
        for path in files:
            (target / path.name).symlink_to(path.resolve())
        (target / NAME).write_text(text, encoding="utf-8")

    return cached_folder(cache_dir / "models" / f"{folder.name}-template-{key}", build)
