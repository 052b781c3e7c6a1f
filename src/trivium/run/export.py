"""Exporting: the weights of a checkpoint as a complete Hugging Face folder, which `policy.model` takes too.

    model.safetensors, config.json             the weights, as they were trained, in their own type
    adapter_model.safetensors, _config.json    instead of both, of an adapter that is not merged into its base
    generation_config.json                     sampling as in training: every token at its own probability
    tokenizer.json, tokenizer_config.json      the run's tokenizer
    chat_template.jinja                        the format that the run rendered
    README.md                                  the model card (card.py)

Always true: the folder is whole or absent, and nothing that was there before is overwritten.
"""

import json
import shutil
from pathlib import Path
from typing import Any

from trivium.config import PolicyConfig
from trivium.episode import ConfigError
from trivium.policy import lora
from trivium.policy.models import load_model
from trivium.policy.rendering import CHAT_TEMPLATE, ChatML, Renderer
from trivium.store import write_folder

from .card import Form, card
from .folder import copy_tokenizer
from .lineage import Lineage, lineage_of
from .policy_folder import policy_folder
from .policy_model import open_model
from .rendering import make_renderer
from .resuming import require_whole


def export(name: str, to: Path, *, merge: bool = False) -> Lineage:
    """Write the policy of RUN or RUN@step to the folder `to`; `merge` adds an adapter to its base.

    Returns where it comes from.

    Raises ConfigError when there is no such checkpoint, when `to` holds something already, or when there is no adapter
    to `merge`; StoreError when the checkpoint is torn or the disk fails.
    """
    made = lineage_of(name)
    home = policy_folder(name)
    adapted = (home / lora.SETTINGS).is_file()
    if merge and not adapted:
        raise ConfigError(f"--merge puts a LoRA adapter into its base, and {name} has no adapter; leave --merge out")
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise ConfigError(f"{to} exists already, and nothing is overwritten; choose another --to")
    require_whole(home)
    form = (Form.MERGED if merge else Form.ADAPTER) if adapted else Form.WHOLE
    write_folder(to, lambda draft: _fill(draft, home, made, form))
    return made


def _fill(draft: Path, home: Path, made: Lineage, form: Form) -> None:
    renderer = make_renderer(made.policy, home)
    sampling = _sampling(made.policy, renderer)
    if form is Form.ADAPTER:
        _copy_adapter(draft, home, sampling)
    else:
        _write_model(draft, _whole(home, form), sampling)
    copy_tokenizer(home, draft)
    if isinstance(renderer, ChatML):
        _write_template(draft, CHAT_TEMPLATE)
    (draft / "README.md").write_text(card(made, form), encoding="utf-8")


def _whole(home: Path, form: Form) -> Any:
    """The model of a checkpoint; an adapter was trained beside fp32 weights, and is added to them."""
    if form is Form.WHOLE:
        return load_model(home, "auto")[0]
    model = open_model(PolicyConfig(model=str(home)), home, seed=0)
    lora.merge(model)
    return model


def _copy_adapter(draft: Path, home: Path, sampling: Any) -> None:
    for name in (lora.ADAPTER, lora.SETTINGS):
        shutil.copyfile(home / name, draft / name)
    sampling.save_pretrained(draft)


def _write_model(draft: Path, model: Any, sampling: Any) -> None:
    """Weights and both configurations. Raises OSError when the disk fails."""
    from safetensors import SafetensorError

    model.generation_config = sampling
    try:
        model.save_pretrained(draft)
    except SafetensorError as error:  # how it reports a full disk
        raise OSError(str(error)) from error


def _sampling(policy: PolicyConfig, renderer: Renderer) -> Any:
    """Sampling as in training; without `top_k = 0` the library would keep the 50 likeliest tokens only."""
    from transformers import GenerationConfig

    stops = sorted(renderer.stop_ids)
    return GenerationConfig(
        do_sample=True, temperature=policy.temperature, top_k=0, top_p=1.0, eos_token_id=stops, pad_token_id=stops[0]
    )


def _write_template(folder: Path, template: str) -> None:
    """The format that was trained, in place of whichever the base's tokenizer came with."""
    (folder / "chat_template.jinja").write_text(template, encoding="utf-8")
    config = folder / "tokenizer_config.json"
    if config.is_file():
        kept = {key: value for key, value in json.loads(config.read_text()).items() if key != "chat_template"}
        config.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
