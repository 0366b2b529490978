"""The tokens that end a turn: every one that the model names, for whoever encodes or reads its turns."""

from __future__ import annotations

import json
from pathlib import Path

from rlpt.policy import tiny
from rlpt.policy.stop_tokens import stop_token_ids
from rlpt.policy.template import with_template
from rlpt.policy.tokenizer import ChatTokenizer
from rlpt.policy.tool_chat import Said, ToolChat

TOOL = {"type": "function", "function": {"name": "python", "description": "Runs Python.", "parameters": {}}}

# As Llama 3's: a turn that calls a tool ends with a token of its own.
TWO_ENDS = """{%- if tools %}<|system|>{{ tools | tojson }}<|end|>{% endif %}
{%- for message in messages %}<|{{ message.role }}|>
{%- if message.tool_calls %}
{%- for call in message.tool_calls %}{{ call.function.arguments | tojson }}{% endfor %}<|tools|>
{%- else %}{{ message.content }}<|end|>{% endif %}{% endfor %}
{%- if add_generation_prompt %}<|assistant|>{% endif %}"""


def test_every_eos_token_of_the_model_ends_a_turn(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"eos_token_id": 2}')
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": [2, 7]}')
    assert stop_token_ids(tmp_path) == [2, 7]


def test_a_turn_may_end_with_another_token_than_the_tokenizers(tmp_path: Path) -> None:
    model = tmp_path / "model"
    tiny.write_fresh_model(["Runs Python. The answer is 5."] * 20, model, seed=0)
    plain = ChatTokenizer(model)
    (end,), (other,) = plain.encode_text("<|end|>"), plain.encode_text("<|tools|>")
    (model / "generation_config.json").write_text(json.dumps({"eos_token_id": [end, other]}))
    (tmp_path / "two.jinja").write_text(TWO_ENDS)
    chat = ChatTokenizer(with_template(model, tmp_path / "two.jinja", tmp_path / "cache"))
    assert chat.turn_ends == ["<|end|>", "<|tools|>"]
    assert chat.transcribe([*plain.encode_text("5"), other]) == "5"
    words = ToolChat(chat, "two", [TOOL])
    told = words.reply([Said("a", "python", "5")])
    assert chat.decode(told) == "5"
    assert chat.transcribe([*told, end]) == "<|tool|>5<|end|><|assistant|>"
