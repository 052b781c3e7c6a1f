"""Puts a trained run into the package as the embedded policy: bfloat16 weights, tokenizer, template.

python recipes/embedded/pack.py runs/embedded
"""

import argparse
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from trivium.run import policy_folder

HOME = Path(__file__).parents[2] / "src" / "trivium" / "policy" / "embedded"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", help="run folder, or RUN@step")
    source = policy_folder(parser.parse_args().run)
    HOME.mkdir(parents=True, exist_ok=True)
    weights = {name: tensor.to(torch.bfloat16) for name, tensor in load_file(source / "model.safetensors").items()}
    save_file(weights, HOME / "model.safetensors", metadata={"format": "pt"})
    shutil.copyfile(source / "config.json", HOME / "config.json")
    for path in (source.parents[1] / "tokenizer").iterdir():
        shutil.copyfile(path, HOME / path.name)
    print(f"{sum(path.stat().st_size for path in HOME.iterdir()) / 1e6:.1f} MB in {HOME}")


if __name__ == "__main__":
    main()
