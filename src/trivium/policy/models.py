"""Models and tokenizers from folders in Hugging Face format. Imports torch and transformers only when called."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from trivium.episode import ConfigError

EMBEDDED = "embedded"
"""The name of the policy that comes with Trivium."""
EMBEDDED_FOLDER = Path(__file__).parent / EMBEDDED


def load_model(source: str | Path, dtype: str = "float32") -> tuple[Any, Any]:
    """The causal LM (evaluation mode) and the tokenizer of a folder, or of a name that is in the local cache or online.

    Raises ConfigError when there is no such folder or name, or it cannot be read as a causal LM.
    """
    from transformers import AutoTokenizer

    model = load_weights(source, dtype)
    with _readable(str(source)):
        return model, AutoTokenizer.from_pretrained(str(source))


def load_weights(source: str | Path, dtype: str = "float32") -> Any:
    """The causal LM alone; errors as in `load_model`."""
    from transformers import AutoModelForCausalLM

    name = _checked(source)
    with _readable(name):
        model, told = AutoModelForCausalLM.from_pretrained(name, dtype=dtype, output_loading_info=True)
    if missing := sorted(told["missing_keys"]):
        raise ConfigError(
            f"{name} lacks {len(missing)} of the model's weights ({missing[0]}); give a folder whose weights are whole"
        )
    return model.eval()


@contextmanager
def _readable(name: str) -> Iterator[None]:
    from safetensors import SafetensorError

    try:
        yield
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise ConfigError(
            f"{name} cannot be loaded as a causal LM ({str(error).splitlines()[0]}); "
            "give a folder with config.json, weights and a tokenizer, or a name that this machine can reach"
        ) from error


def _checked(source: str | Path) -> str:
    """The source as a string; a path that does not exist is refused before anyone asks the network for it."""
    path, name = Path(source), str(source)
    looks_local = isinstance(source, Path) or path.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1
    if looks_local and not path.is_dir():
        raise ConfigError(f"there is no folder {name}; give the path of a model in Hugging Face format")
    return name
