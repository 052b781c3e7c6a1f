"""From [learn] to a learner: its loss, penalty, baseline and precision."""

from typing import Any

import torch

from trivium.config import LearnConfig
from trivium.learn import (
    K25,
    AdamWSettings,
    Baseline,
    Cispo,
    Kl,
    Learner,
    Loss,
    OverGroup,
    Ppo,
    Reinforce,
    RunningMean,
    Truncated,
    group_mean,
    leave_one_out,
)


def make_learner(model: Any, config: LearnConfig) -> Learner:
    """The learner of a recipe, at the weights that a KL penalty compares with. Raises ConfigError."""
    return Learner(
        model,
        AdamWSettings(lr=config.lr, weight_decay=config.weight_decay, clip_norm=config.clip_norm, warmup=config.warmup),
        make_loss(config),
        truncated=None if config.truncate is None else Truncated(config.truncate),
        kl=make_kl(config),
        baseline=make_baseline(config),
        substeps=config.substeps,
        micro_tokens=config.micro_tokens,
        layout=config.layout,
        dtype={"float32": torch.float32, "bfloat16": torch.bfloat16}[config.dtype],
        checkpoint_activations=config.checkpoint_activations,
    )


def make_loss(config: LearnConfig) -> Loss:
    """The loss, with the keys that it reads."""
    keys = config.read_by("loss")
    match config.loss:
        case "cispo":
            return Cispo(keys["clip_low"], keys["clip_high"])
        case "ppo":
            return Ppo(keys["clip_low"], keys["clip_high"])
        case "k25":
            return K25(keys["clip_low"], keys["clip_high"], keys["tau"])
        case "reinforce":
            return Reinforce()


def make_kl(config: LearnConfig) -> Kl | None:
    """The penalty for leaving the start weights."""
    return None if config.kl == "none" else Kl(config.kl, config.read_by("kl")["kl_coefficient"])


def make_baseline(config: LearnConfig) -> Baseline:
    """What rewards are compared with."""
    match config.baseline:
        case "group_mean":
            return OverGroup(group_mean)
        case "leave_one_out":
            return OverGroup(leave_one_out)
        case "running_mean":
            return RunningMean(config.read_by("baseline")["baseline_decay"])
