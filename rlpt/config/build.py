"""From a node of a config with a `_target_` to the object that it describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hydra.errors import InstantiationException
from hydra.utils import instantiate

from rlpt.errors import UserError


def build(node: Mapping[str, Any], /, **arguments: Any) -> Any:  # noqa: ANN401 - what it is, the node says
    """Call the `_target_` of `node` with the keys of `node` and with `arguments`, which arrive as they are.

    Raises:
        UserError: as the target raises it, or what is built inside the node.
    """
    try:
        # Through a partial: `instantiate` itself would turn records and objects among the arguments into configs, and
        # wrap the target's own plain sentence in an error of Hydra's.
        make = instantiate(node, _partial_=True)
    except InstantiationException as error:
        if isinstance(error.__cause__, UserError):  # of what stands inside the node, which is no partial
            raise error.__cause__ from None
        raise
    return make(**arguments)
