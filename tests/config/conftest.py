"""What the tests of the config share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from rlpt.config.composer import Composer, composer
from rlpt.config.preflight import compose_checked
from rlpt.errors import UserError


@pytest.fixture(scope="module")
def train() -> Iterator[Composer]:
    with composer("train") as session:
        yield session


@pytest.fixture
def refusal(train: Composer) -> Callable[..., str]:
    """What `rlpt train OVERRIDES` says when it refuses them."""

    def refuse(*overrides: str) -> str:
        with pytest.raises(UserError) as caught:
            compose_checked(train, list(overrides))
        return str(caught.value)

    return refuse
