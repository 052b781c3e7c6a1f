"""`trivium doctor --model`: how a model speaks, which layouts know it, and the verdict with its reason."""

import json

import pytest
import torch
from transformers import AutoTokenizer, GPTNeoXConfig, GPTNeoXForCausalLM

from policy.tiny import write_model
from trivium.cli import model_probes
from trivium.cli.check import Grade
from trivium.cli.model_probes import probe_model, verdict
from trivium.cli.template_probes import template_checks
from trivium.config import PolicyConfig
from trivium.policy.rendering import CHAT_TEMPLATE
from trivium.run import make_renderer

FORGETFUL = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{{ m.content.split('</think>')[-1] if not loop.last else m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.fixture
def folder(tmp_path):
    return write_model(tmp_path / "model")


def told(checks):
    return {check.what: check for check in checks}


def give_template(folder, template):
    (folder / "chat_template.jinja").write_text(template)


def test_a_model_on_the_allow_list_can_be_trained(folder):
    give_template(folder, CHAT_TEMPLATE)
    found = told(probe_model(str(folder), lambda _: None))
    assert found["verdict"].found == "train"
    assert found["layouts"].found == "trees and segments"
    assert found["tool calls"].grade is Grade.GOOD
    assert "<|im_end|>" in found["stop tokens"].found
    assert found["chat template"].grade is Grade.GOOD
    assert found["tools in template"].found == "knows tools"
    assert found["history"].found == "the template only appends"


def test_a_model_off_the_allow_list_trains_by_segments(folder):
    size = json.loads((folder / "config.json").read_text())["vocab_size"]
    torch.manual_seed(0)
    config = GPTNeoXConfig(
        vocab_size=size, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4
    )
    GPTNeoXForCausalLM(config).save_pretrained(folder)
    found = told(probe_model(str(folder), lambda _: None))
    assert found["verdict"].found == "train"
    assert found["layouts"].found.startswith("segments only: GPTNeoXForCausalLM is not one of")
    assert "trees" not in found["parity"].found


def test_a_model_whose_log_probs_are_not_found_again_is_for_evaluation_only(folder, monkeypatch):
    monkeypatch.setattr(model_probes, "EXACT", 0.0)
    found = told(probe_model(str(folder), lambda _: None))
    assert found["parity"].grade is Grade.NOTE
    assert found["verdict"].found == "eval only"
    assert "cannot be trained exactly" in verdict(model_probes.Parity(1.0, None), found["tool calls"]).remedy


def test_a_tokenizer_without_a_chat_format_is_unsupported(folder):
    text = (folder / "tokenizer.json").read_text()
    (folder / "tokenizer.json").write_text(text.replace("<|im_start|>", "<|begin|>"))
    checks = probe_model(str(folder), lambda _: None)
    assert checks[-1].found == "unsupported"
    assert "no control token <|im_start|>" in checks[-1].remedy
    assert checks[0].what == "folder"


def test_a_template_that_drops_old_thoughts_is_named(folder):
    give_template(folder, FORGETFUL)
    assert AutoTokenizer.from_pretrained(folder).chat_template == FORGETFUL
    renderer = make_renderer(PolicyConfig(model=str(folder)), folder)
    found = told(template_checks(renderer, folder))
    assert found["history"].found == "the template drops old reasoning"
    assert found["chat template"].grade is Grade.GOOD
    assert found["tools in template"].found.startswith("knows none")


def test_a_template_of_another_family_is_named(folder):
    give_template(folder, "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}")
    renderer = make_renderer(PolicyConfig(model=str(folder)), folder)
    found = told(template_checks(renderer, folder))
    assert found["chat template"].grade is Grade.NOTE
    assert "another than chatml" in found["chat template"].found


def test_the_command_ends_badly_for_a_model_that_is_not_there(trivium):
    run = trivium("doctor", "--model", "no-such-model", code=1)
    assert "unsupported" in run.output
    assert "no run and no model lies there" in run.output.replace("\n", " ")
