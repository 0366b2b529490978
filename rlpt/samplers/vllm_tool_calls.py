"""Tool calls in what the policy wrote, found by vLLM's parser of the model's syntax, in the engine's process."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

TIMEOUT_S = 5.0
"""For one turn. Some parsers are regular expressions over text that nobody has checked."""


class CallReader:
    """Reads the calls of whole turns.

    Args:
        folder: of the model, for its tokenizer.
        parser: vLLM's name of a tool parser; None where no turn will be read.
        stop_token_ids: tokens that end a turn; the last one is no part of the text, as in vLLM's server.
    """

    def __init__(self, folder: str, parser: str | None, stop_token_ids: Sequence[int]) -> None:
        self._folder = folder
        self._parser = parser
        self._stop_token_ids = frozenset(stop_token_ids)

    def read(self, turns: Sequence[Sequence[int]], tools: Sequence[Mapping[str, Any]]) -> list[list[tuple[str, ...]]]:
        """Return for each turn its calls as (id, name, arguments). A parser that fails on a turn has found none.

        Raises whatever vLLM raises where no turn can be read: for a parser that it does not have or that does not go
        with the model, a tokenizer that cannot be loaded, tools that are no tools.
        """
        return [self._read(turn, tools) for turn in turns]

    def _read(self, turn: Sequence[int], tools: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
        from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest

        tokenizer = self._tokenizer
        request: Any = ChatCompletionRequest.model_validate(
            {"model": "policy", "messages": [{"role": "user", "content": ""}], "tools": list(tools)}
        )
        # A parser of its own for each turn, as in vLLM's server: parsers keep what they have seen.
        parser: Any = self._make(tokenizer, request.tools)
        request = parser.adjust_request(request)
        try:
            # Only what hangs on what the policy wrote: anything else that fails would fail in every turn.
            with _within(TIMEOUT_S):
                ids = turn[:-1] if turn and turn[-1] in self._stop_token_ids else turn
                text = tokenizer.decode(list(ids), skip_special_tokens=request.skip_special_tokens)
                found = parser.extract_tool_calls(text, request)
                calls = found.tool_calls if found.tools_called else []
                return [(str(call.id), call.function.name, call.function.arguments) for call in calls]
        except Exception:  # the parser is not ours and the text is the model's: any error means that it reads no call
            traceback.print_exc()
            return []

    @cached_property
    def _tokenizer(self) -> Any:  # noqa: ANN401 - vLLM's tokenizers share no class
        from vllm.tokenizers import get_tokenizer

        return get_tokenizer(self._folder)

    @cached_property
    def _make(self) -> Any:  # noqa: ANN401
        from vllm.tool_parsers import ToolParserManager

        if self._parser is None:
            raise ValueError("the engine was started without a tool parser")
        return ToolParserManager.get_tool_parser(self._parser)


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise TimeoutError inside the block once `seconds` have passed. In a process's main thread only."""

    def ring(number: int, frame: object) -> None:
        raise TimeoutError(f"no calls found within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
