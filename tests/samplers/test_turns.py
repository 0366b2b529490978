"""Rollouts over several turns. What the policy writes is dictated here; tests/system has the real engine do it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from rlpt.actors import Actors
from rlpt.environments import environment
from rlpt.errors import UserError
from rlpt.policy.tokenizer import ChatTokenizer
from rlpt.records import Group, Task
from rlpt.samplers.protocol import Request, Sample, ToolCall
from rlpt.tools.protocol import Tool, ToolResult
from rlpt.verifiers.pool import VerifierPool
from tests.samplers.sampling import sample_groups

Write = Callable[[str, int, int], str]
"""What the policy writes: given the text so far, the number of the sample in its request and the turns before."""


class Dictated:
    """A sampler whose policy writes what `write` says, one character a token, as no tokenizer would encode it."""

    def __init__(self, chat: ChatTokenizer, write: Write) -> None:
        self.chat = chat
        self.write = write
        self.version = 3
        self.requests: list[list[Request]] = []
        self.seeds: list[int] = []

    def sample(self, requests: Sequence[Request], seed: int) -> list[list[Sample]]:
        self.requests.append(list(requests))
        self.seeds.append(seed)
        return [[self._sample(request, index) for index in range(request.n)] for request in requests]

    def tool_calls(self, turns: Sequence[Sequence[int]], tools: Sequence[Mapping[str, Any]]) -> list[list[ToolCall]]:
        return [self._calls(self.chat.transcribe(turn)) for turn in turns]

    def load(self, weights: object, version: int) -> None:
        self.version = version

    def close(self) -> None:
        pass

    def _sample(self, request: Request, index: int) -> Sample:
        assert request.max_new_tokens >= 1
        before = self.chat._tokenizer.decode(list(request.prompt_ids))
        text = self.write(before, index, before.count("<|assistant|>") - 1)
        ids = [token for character in text for token in self.chat.encode_text(character)]
        ids = [*ids, self.chat._tokenizer.eos_token_id]
        cut = ids[: request.max_new_tokens]
        return Sample(cut, [-0.5] * len(cut), "stop" if cut == ids else "length", self.version)

    def _calls(self, text: str) -> list[ToolCall]:
        parts = [part.split(">>")[0] for part in text.split("<<")[1:]]
        return [ToolCall(f"c{number}", *part.split(" ", 1)) for number, part in enumerate(parts)]


class Adder:
    """A tool that adds, and counts who uses it."""

    def __init__(self, name: str = "add", sessions: int = 100, status: str = "ok") -> None:
        self.name, self.sessions, self.status = name, sessions, status
        self.open_now = self.most_open = self.opened = 0
        self.calls: list[list[int]] = []
        self.barrier: threading.Barrier | None = None
        self.lock = threading.Lock()

    def schema(self) -> Mapping[str, Any]:
        parameters = {"type": "object", "properties": {"numbers": {"type": "array"}}}
        return {"type": "function", "function": {"name": self.name, "description": "Adds.", "parameters": parameters}}

    def open(self) -> AdderSession:
        with self.lock:
            self.opened += 1
            self.open_now += 1
            self.most_open = max(self.most_open, self.open_now)
        return AdderSession(self)

    def close(self) -> None:
        pass


class AdderSession:
    def __init__(self, tool: Adder) -> None:
        self.tool = tool
        self.closed = False

    def call(self, arguments: Mapping[str, Any]) -> ToolResult:
        assert not self.closed
        if self.tool.barrier is not None:
            self.tool.barrier.wait(timeout=30)
        self.tool.calls.append(arguments["numbers"])
        return ToolResult(str(sum(arguments["numbers"])), self.tool.status)  # type: ignore[arg-type]

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            with self.tool.lock:
                self.tool.open_now -= 1


def call(*numbers: int, tool: str = "add") -> str:
    return f"<<{tool} {json.dumps({'numbers': numbers})}>>"


@pytest.fixture(scope="session")
def chat(model_folder):
    return ChatTokenizer(model_folder)


def task(name: str, domain: str = "d") -> Task:
    return Task(domain, name, [{"role": "user", "content": f"Question {name}"}], {"answer": "5"})


def roll_out(
    sampler: Dictated,
    tools: Sequence[Tool],
    tasks: Sequence[Task] = (task("a"),),
    n: int = 1,
    max_turns: int = 3,
    max_new_tokens: int = 1000,
    context_length: int = 10_000,
) -> list[Group]:
    named = {tool.schema()["function"]["name"]: tool for tool in tools}
    surroundings = {"d": environment(sampler.chat, "mine", named, max_turns, context_length)} if named else {}
    return sample_groups(
        sampler,
        sampler.chat.encode,
        sampler.chat.decode,
        tasks,
        n,
        {"d": max_new_tokens, "plain": max_new_tokens},
        [f"g{number}" for number in range(len(tasks))],
        7,
        surroundings,
    )


def once(text: str) -> Write:
    """A call in the first turn, `text` in the second."""
    return lambda before, index, turns: call(2, 3) if turns == 0 else text


def test_tokens_are_those_of_the_engine_and_of_the_template_in_turn(chat):
    sampler = Dictated(chat, once("It is 5"))
    ((rollout,),) = [group.rollouts for group in roll_out(sampler, [Adder()])]
    (first,), (second,) = sampler.requests
    assert second.prompt_ids[: len(first.prompt_ids)] == first.prompt_ids == list(rollout.prompt_ids)
    assert second.n == 1
    spelled = [chat.encode_text(character)[0] for character in call(2, 3)]
    end = chat._tokenizer.eos_token_id
    assert list(rollout.token_ids[: len(spelled) + 1]) == [*spelled, end], "what was written is not encoded again"
    told = [token for token, own in zip(rollout.token_ids, rollout.action_mask, strict=True) if not own]
    assert chat._tokenizer.decode(told) == "<|tool|>5<|end|><|assistant|>"
    assert second.prompt_ids == [*first.prompt_ids, *spelled, end, *told]
    assert rollout.actions == len(spelled) + 1 + len("It is 5") + 1
    runs = "".join(str(own) for own in rollout.action_mask)
    assert "10" in runs
    assert "01" in runs
    assert "010" not in runs
    for token_mask, logprob, version in zip(rollout.action_mask, rollout.logprobs, rollout.versions, strict=True):
        assert (logprob, version) == (-0.5 if token_mask else 0.0, 3)


def test_the_answer_is_the_last_turn_alone_and_the_messages_are_everything(chat):
    sampler = Dictated(chat, once("It is 5"))
    (group,) = roll_out(sampler, [Adder()])
    assert group.rollouts[0].text == "It is 5"
    assert group.rollouts[0].finish_reason == "stop"
    assert group.rollouts[0].messages == (
        {"role": "assistant", "content": call(2, 3)},
        {"role": "tool", "name": "add", "content": "5", "status": "ok"},
        {"role": "assistant", "content": "It is 5"},
    )


def test_a_domain_without_tools_is_sampled_as_if_there_were_none(chat):
    plain, mixed = Dictated(chat, once("5")), Dictated(chat, once("5"))
    tasks = [task("a", "plain"), task("b", "plain")]
    without = roll_out(plain, [], tasks, n=2)
    with_tools = roll_out(mixed, [Adder()], [tasks[0], task("c"), tasks[1]], n=2)
    assert [with_tools[0].rollouts, with_tools[2].task] == [without[0].rollouts, without[1].task]
    assert [mixed.requests[0][0], mixed.requests[0][2]] == plain.requests[0]
    assert (plain.seeds, mixed.seeds[0]) == ([7], 7)
    assert without[0].rollouts[0].messages == ()
    assert [len(rollout.messages) for rollout in with_tools[1].rollouts] == [3, 3]


def test_a_first_turn_is_asked_for_as_long_as_there_is_room(chat):
    sampler = Dictated(chat, once("5"))
    roll_out(sampler, [Adder()], n=3, max_new_tokens=50)
    (request,) = sampler.requests[0]
    assert (request.n, request.max_new_tokens) == (3, 50)
    prompt = len(request.prompt_ids)
    for context_length in (prompt + 20, prompt + 1):
        sampler = Dictated(chat, lambda before, index, turns: "a" * 60)
        roll_out(sampler, [Adder()], n=3, max_new_tokens=50, context_length=context_length)
        assert [one.max_new_tokens for one in sampler.requests[0]] == [context_length - prompt]
    for context_length in (prompt, prompt - 1):
        with pytest.raises(UserError, match=rf"takes {prompt} tokens.* raise policy.context_length={context_length}"):
            roll_out(sampler, [Adder()], n=3, max_new_tokens=50, context_length=context_length)


def test_the_last_allowed_turn_ends_it_and_its_call_is_not_answered(chat):
    tool = Adder()
    (group,) = roll_out(Dictated(chat, lambda before, index, turns: call(turns)), [tool], max_turns=3)
    assert tool.calls == [[0], [1]]
    assert (group.rollouts[0].finish_reason, group.rollouts[0].text) == ("stop", call(2))


def test_a_turn_that_was_cut_calls_nothing(chat):
    tool = Adder()
    (group,) = roll_out(Dictated(chat, once("5")), [tool], max_new_tokens=len(call(2, 3)))
    assert tool.opened == 0
    assert group.rollouts[0].finish_reason == "length"
    assert group.rollouts[0].text == call(2, 3)


def test_the_turns_share_their_tokens(chat):
    most = len(call(2, 3)) + 1 + 4
    sampler = Dictated(chat, once("a long answer"))
    (group,) = roll_out(sampler, [Adder()], max_new_tokens=most)
    assert [request.max_new_tokens for (request,) in sampler.requests] == [most, 4]
    rollout = group.rollouts[0]
    assert (rollout.actions, rollout.text, rollout.finish_reason) == (most, "a lo", "length")
    (group,) = roll_out(Dictated(chat, once("5")), [Adder()], max_new_tokens=len(call(2, 3)) + 1)
    assert (group.rollouts[0].finish_reason, set(group.rollouts[0].action_mask)) == ("length", {1})


def test_the_context_is_never_exceeded(chat):
    sampler = Dictated(chat, once("a long answer"))
    (group,) = roll_out(sampler, [Adder()])
    longest = len(group.rollouts[0].prompt_ids) + len(group.rollouts[0].token_ids)
    for missing in range(1, len(group.rollouts[0].token_ids)):
        sampler = Dictated(chat, once("a long answer"))
        (group,) = roll_out(sampler, [Adder()], context_length=longest - missing)
        rollout = group.rollouts[0]
        assert len(rollout.prompt_ids) + len(rollout.token_ids) <= longest - missing
        assert rollout.finish_reason == "length"
        assert rollout.action_mask[-1] == 1, "a rollout never ends with what a tool said"


def test_more_rollouts_than_places_pause_and_all_end_in_order(chat):
    tool = Adder(sessions=2)
    tasks = [task(str(number)) for number in range(3)]
    sampler = Dictated(chat, lambda before, index, turns: call(index, turns) if turns < 2 else f"{index}")
    groups = roll_out(sampler, [tool], tasks, n=4)
    assert (tool.most_open, tool.open_now, tool.opened) == (2, 0, 12)
    assert [group.group_id for group in groups] == ["g0", "g1", "g2"]
    for group in groups:
        assert [rollout.index for rollout in group.rollouts] == [0, 1, 2, 3]
        assert all(rollout.group_id == group.group_id for rollout in group.rollouts)
        assert all(len(rollout.messages) == 5 for rollout in group.rollouts)
    assert max(sum(request.n for request in round_) for round_ in sampler.requests[1:]) == 2


def test_two_tools_with_one_place_each_are_no_deadlock(chat):
    tools = [Adder("one", sessions=1), Adder("two", sessions=1)]

    def write(before: str, index: int, turns: int) -> str:
        order = ["one", "two"] if index % 2 else ["two", "one"]
        return call(1, tool=order[turns]) if turns < 2 else "5"

    (group,) = roll_out(Dictated(chat, write), tools, n=4)
    assert [rollout.text for rollout in group.rollouts] == ["5"] * 4
    assert [tool.open_now for tool in tools] == [0, 0]


def test_calls_of_different_rollouts_run_at_once(chat):
    tool = Adder()
    tool.barrier = threading.Barrier(3)
    (group,) = roll_out(Dictated(chat, once("5")), [tool], n=3)
    assert [rollout.text for rollout in group.rollouts] == ["5"] * 3


def test_several_calls_of_a_turn_are_answered_in_order_and_not_without_end(chat):
    write = lambda before, index, turns: "".join(call(n) for n in range(10)) if turns == 0 else "5"  # noqa: E731
    tool = Adder()
    (group,) = roll_out(Dictated(chat, write), [tool])
    told = [message for message in group.rollouts[0].messages if message["role"] == "tool"]
    assert [message["content"] for message in told] == [str(n) for n in range(8)]
    assert tool.calls == [[n] for n in range(8)]


def test_rollouts_that_are_alike_so_far_are_one_request_and_go_on_apart(chat):
    def write(before: str, index: int, turns: int) -> str:
        return call(2, 3) if turns == 0 else f"answer {index}"

    sampler = Dictated(chat, write)
    groups = roll_out(sampler, [Adder()], [task("a"), task("a")], n=3)
    assert [request.n for request in sampler.requests[1]] == [3, 3], "groups are kept apart"
    for group in groups:
        assert [rollout.text for rollout in group.rollouts] == ["answer 0", "answer 1", "answer 2"]


def test_rounds_have_seeds_of_their_own_and_the_same_ones_again(chat):
    samplers = [Dictated(chat, lambda before, index, turns: call(turns)) for _ in range(2)]
    for sampler in samplers:
        roll_out(sampler, [Adder()], max_turns=4)
    assert samplers[0].seeds == samplers[1].seeds
    assert len(set(samplers[0].seeds)) == 4


def test_a_bad_call_is_answered_and_the_rollout_goes_on(chat):
    write = lambda before, index, turns: "<<add {>><<sub {}>>" if turns == 0 else "5"  # noqa: E731
    (group,) = roll_out(Dictated(chat, write), [Adder()])
    told = [message for message in group.rollouts[0].messages if message["role"] == "tool"]
    assert [message["status"] for message in told] == ["error", "error"]
    assert group.rollouts[0].text == "5"


def test_sessions_are_closed_also_when_the_engine_fails(chat):
    def write(before: str, index: int, turns: int) -> str:
        if turns:
            raise RuntimeError("the engine is gone")
        return call(1)

    tool = Adder()
    with pytest.raises(RuntimeError, match="gone"):
        roll_out(Dictated(chat, write), [tool], n=3)
    assert (tool.opened, tool.open_now) == (3, 0)


def test_a_tool_that_fails_ends_the_rollout_unscored(chat):
    class Failing(Adder):
        def open(self) -> AdderSession:
            self.status = "ok" if self.opened else "infra_error"
            return super().open()

    tool = Failing(sessions=1)
    sampler = Dictated(chat, once("The answer is \\boxed{5}"))
    (group,) = roll_out(sampler, [tool], n=3)
    assert [rollout.finish_reason for rollout in group.rollouts] == ["abort", "stop", "stop"]
    assert tool.open_now == 0
    verifier = {"_target_": "rlpt.verifiers.math.MathVerifier"}
    with VerifierPool({"d": verifier}, workers=1, timeout_s=30.0) as pool:
        (scored,) = Actors(chat, sampler, pool, {"d": 1}).score([group])
    assert [verdict.reward for verdict in scored.verdicts] == [None, 1.0, 1.0]
    assert scored.verdicts[0].status == "infra_error"
    assert "the tool add failed: 5" in scored.verdicts[0].detail


def test_what_fails_to_close_keeps_nothing_open(chat):
    closed = []

    class Failing(Dictated):
        def close(self) -> None:
            raise OSError("stuck")

    class Closing(Adder):
        def close(self) -> None:
            closed.append(self.name)

    tools = {name: Closing(name) for name in ("one", "two")}
    pool = VerifierPool({"d": {"_target_": "rlpt.verifiers.math.MathVerifier"}}, workers=1)
    surroundings = {"d": environment(chat, "mine", tools, 3, 10_000)}
    with pytest.raises(OSError, match="stuck"), Actors(chat, Failing(chat, once("5")), pool, {"d": 1}, surroundings):
        pass
    assert sorted(closed) == ["one", "two"]
    with pytest.raises(RuntimeError):
        pool.score([(task("a"), "5")])


def test_first_turns_only_calls_no_tool(chat):
    tool = Adder()
    sampler = Dictated(chat, once("5"))
    surroundings = {"d": environment(chat, "mine", {"add": tool}, 3, 10_000)}
    with VerifierPool({}, workers=1) as pool:
        actors = Actors(chat, sampler, pool, {"d": 100}, surroundings)
        (group,) = actors.roll_out([("g", task("a"))], 2, seed=1, first_turns_only=True)
    assert tool.opened == 0
    assert [rollout.text for rollout in group.rollouts] == [call(2, 3)] * 2
