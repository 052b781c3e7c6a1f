"""What `trivium doctor` looks at. Each probe is a function that returns checks; none raises."""

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

from trivium import __version__
from trivium.policy.models import EMBEDDED_FOLDER

from .check import Check, Grade

SPACE = 2 * 2**30
"""Bytes that a run with checkpoints of a small model may take."""
FEATURES = ("avx2", "avx512f", "avx512_bf16", "amx_bf16")
EXTRAS = {
    "renderers": ("qwen", "exact rendering of model families"),
    "chromadb": ("chroma", "vectors in a Chroma collection"),
    "model2vec": ("dense", "search by meaning with ready-made word vectors"),
    "httpx": ("remote", "models behind servers that speak OpenAI's protocol"),
    "peft": ("lora", "training an adapter instead of all weights"),
    "gguf": ("gguf", "models from GGUF files, such as smollm2-135m"),
    "tensorboard": ("tensorboard", "curves in TensorBoard"),
    "mlflow": ("mlflow", "curves in MLflow"),
}


def probe() -> list[Check]:
    """All checks, those of the machine first."""
    probes: tuple[Iterable[Check], ...] = (
        python(),
        cores(),
        torch_found(),
        disk(),
        cache(),
        embedded(),
        extras(),
        clash(),
    )
    return [check for checks in probes for check in checks]


def python() -> Iterable[Check]:
    """Python and Trivium itself."""
    version = platform.python_version()
    good = sys.version_info >= (3, 11)
    yield Check(Grade.GOOD if good else Grade.MISSING, "Python", version, "" if good else "use Python 3.11 or newer")
    yield Check(Grade.GOOD, "Trivium", f"{__version__} in {Path(__file__).parents[1]}")


def cores() -> Iterable[Check]:
    """Cores, and whether others use them: torch's threads wait for each other in a spin."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = os.getloadavg()[0]
    busy = load > usable
    remedy = "other work shares the cores: --set policy.threads=1, or set OMP_WAIT_POLICY=PASSIVE" if busy else ""
    yield Check(Grade.NOTE if busy else Grade.GOOD, "cores", f"{usable}, load {load:.1f}", remedy)
    yield Check(Grade.GOOD, "processor", ", ".join(processor_features()) or "no known vector features")


def processor_features() -> list[str]:
    """Vector features that matter for speed, where the system tells them."""
    file = Path("/proc/cpuinfo")
    flags = set(file.read_text().split()) if file.is_file() else set()
    return [feature for feature in FEATURES if feature in flags]


def torch_found() -> Iterable[Check]:
    """torch, its threads, the number type that sampling would pick, and a GPU if there is one."""
    try:
        import torch
    except ImportError as error:
        yield Check(Grade.MISSING, "torch", str(error), "pip install torch")
        return
    from trivium.policy.local import pick_dtype

    yield Check(Grade.GOOD, "torch", f"{torch.__version__}, {torch.get_num_threads()} threads")
    picked = str(pick_dtype("auto", torch.device("cpu"))).removeprefix("torch.")
    yield Check(Grade.GOOD, "number type", f"{picked} multiplies fastest here (policy.dtype = auto measures it)")
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "none"
    yield Check(Grade.GOOD, "GPU", gpu)


def disk() -> Iterable[Check]:
    """Room for runs."""
    free = shutil.disk_usage(Path.cwd()).free
    good = free >= SPACE
    remedy = "" if good else f"free some, or give --run a folder on another disk; a run may take {SPACE >> 30} GiB"
    yield Check(Grade.GOOD if good else Grade.NOTE, "disk", f"{free / 2**30:.1f} GiB free in {Path.cwd()}", remedy)


def cache() -> Iterable[Check]:
    """The folder of built indices."""
    from trivium.retrieval import Cache

    folder = Cache().folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            yield Check(Grade.GOOD, "cache of indices", str(folder))
    except OSError as error:
        yield Check(
            Grade.NOTE, "cache of indices", f"{folder}: {error.strerror}", "set TRIVIUM_CACHE to a writable folder"
        )


def embedded() -> Iterable[Check]:
    """The policy that comes with Trivium."""
    if (EMBEDDED_FOLDER / "config.json").is_file():
        yield Check(Grade.GOOD, "embedded policy", str(EMBEDDED_FOLDER))
    else:
        remedy = "install Trivium again, or give policy.model a model folder; trivium demo needs it"
        yield Check(Grade.NOTE, "embedded policy", "not in this installation", remedy)


def extras() -> Iterable[Check]:
    """Optional packages."""
    for module, (extra, use) in EXTRAS.items():
        if find_spec(module):
            yield Check(Grade.GOOD, module, f"installed: {use}")
        else:
            yield Check(Grade.NOTE, module, f"not installed: {use}", f"pip install {_source(extra)}")


def _source(extra: str) -> str:
    """What pip installs an extra of: the checkout that this is, else the package by its name."""
    root = Path(__file__).parents[3]
    return f'-e "{root}[{extra}]"' if (root / "pyproject.toml").is_file() else f'"trivium[{extra}]"'


def clash() -> Iterable[Check]:
    """Another distribution that installs a package of the same name."""
    others = set(packages_distributions().get("trivium", [])) - {"trivium"}
    if others:
        names = ", ".join(sorted(others))
        yield Check(Grade.MISSING, "name clash", f"{names} also installs a package trivium", f"pip uninstall {names}")
    else:
        yield Check(Grade.GOOD, "name clash", "no other distribution installs a package trivium")
