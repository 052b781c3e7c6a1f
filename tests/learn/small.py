"""The smallest real things: two-layer models of three families, and episodes sampled from them."""

import random

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM

from trivium.episode import (
    Agent,
    Context,
    Draft,
    Episode,
    Kind,
    Sampled,
    Scored,
    StopReason,
    Task,
    Tree,
    Versions,
)
from trivium.learn import AdamWSettings, Cispo, Learner

VOCAB = 50
SHAPE = {
    "vocab_size": VOCAB,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
}
FAMILIES = {
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**SHAPE)),
    "qwen2": lambda: Qwen2ForCausalLM(Qwen2Config(**SHAPE, tie_word_embeddings=True)),
    "qwen3": lambda: Qwen3ForCausalLM(Qwen3Config(**SHAPE, head_dim=16)),
}


def model(family="qwen2", dtype=torch.float32, seed=0):
    torch.manual_seed(seed)
    made = FAMILIES[family]()
    for parameter in made.parameters():
        parameter.data.add_(0.05 * torch.randn_like(parameter))
    return made.to(dtype).eval()


def adamw(**own):
    return AdamWSettings(**{"lr": 1e-5, "clip_norm": 1.0, **own})


def learner(net, optimiser, loss=None, **own):
    return Learner(net, optimiser, loss or Cispo(0.0, 5.0), **{"substeps": 4, "micro_tokens": 4096, **own})


def action(tokens, logprobs, *, policy="policy", lead=0, temperature=1.0):
    own = len(tokens) - lead
    assert len(logprobs) == own
    sampled = Sampled(
        policy=policy,
        role="main",
        logprobs=tuple(logprobs),
        versions=Versions(("w0",), (own,)) if own else Versions((), ()),
        temperature=temperature,
        seed=0,
        stop=StopReason.STOP,
    )
    return Draft(kind=Kind.ACTION, tokens=tuple(tokens), lead=lead, sampled=sampled)


def text(tokens, kind=Kind.OBSERVATION):
    return Draft(kind=kind, tokens=tuple(tokens))


@torch.no_grad()
def sample(net, context, rng, length, *, lead=1, temperature=1.0):
    """An action after `context`, with its exact log-probs by the model's own (Hugging Face) forward."""
    tokens = [rng.randrange(VOCAB) for _ in range(lead)]
    logprobs = []
    for _ in range(length):
        logits = net(input_ids=torch.tensor([context.tokens + tokens])).logits[0, -1]
        logp = (logits.to(torch.promote_types(logits.dtype, torch.float32)) / temperature).log_softmax(-1)
        tokens.append(rng.choices(range(VOCAB), weights=logp.exp().tolist())[0])
        logprobs.append(float(logp[tokens[-1]]))
    return action(tokens, logprobs, lead=lead, temperature=temperature)


def some(rng, most=6):
    return [rng.randrange(VOCAB) for _ in range(rng.randint(1, most))]


def episode(net, seed, *, turns=3, group="g", reward=None, prune_after=None, temperature=1.0, longest=5):
    """An episode of `turns` actions with observations between; after turn `prune_after` the first observation goes."""
    rng = random.Random(seed)
    tree = Tree()
    context = Context(tree).append(text(some(rng), Kind.SYSTEM)).append(text(some(rng), Kind.USER))
    for turn in range(turns):
        context = context.append(sample(net, context, rng, rng.randint(1, longest), temperature=temperature))
        if turn < turns - 1:
            context = context.append(text(some(rng, 8)))
        if turn == prune_after:
            context = context.edit(lambda nodes: [n for n in nodes if n is not first_observation(nodes)])
    score = rng.random() if reward is None else reward
    return Episode(
        id=f"{group}-{seed}",
        task=Task(id=group, prompt=""),
        group=group,
        seed=seed,
        tree=tree,
        agents={"main": Agent(tip=context.tip)},
        outcome=Scored(score),
    )


def first_observation(nodes):
    return next(node for node in nodes if node.kind is Kind.OBSERVATION)


def gradients(net):
    return {name: p.grad.clone() for name, p in net.named_parameters() if p.grad is not None}
