"""Weights that copy before any training: an induction circuit, built in.

From a random start, copying (find where the present token stood before, say what followed it) forms only after many
millions of tokens, since its two halves must be found together. Here both are constructed, and training begins with a
model that repeats random tokens (97.6 % of them: `pytest -s tests/recipes`). Written for models with one query head
per key head, QKV biases, rotary positions and tied embeddings (Qwen2). Sizes: d = hidden size, h = head size,
F = h/2 rotary pairs.

    residual stream    [0, d-t) content of a token    [d-t, d) tag: zero in the embedding
    layer 0, head 0    attends to the token before, whatever it is, and writes its code into the tag
    layer 1, all heads look for a position whose tag is the code of the present token, and copy the content found there

Slow rotary pairs (theta_f * 640 <= 1 rad) hardly turn within a context; only these carry content matches, so that the
distance does not matter. The code of a token is a block of its embedding with a constant norm, n coordinates wide, n =
number of slow dimensions; the tag holds as many blocks as fit: t = min(2n, h).
"""

import math

import torch
from torch import Tensor
from transformers import Qwen2ForCausalLM

SIGMA = 0.04  # scale of an embedding coordinate
NOISE = 0.02  # scale of every weight that is not built
BRANCH = 0.25  # what is not built starts small, so that it does not drown the residual stream
MATCH = 0.35  # score of a match, per slow dimension
COPY = 3.0  # how strongly a found token is said
CONTEXT, SLOW = 1024, 640


class _Circuit:
    """Where things are in this model."""

    def __init__(self, model: Qwen2ForCausalLM, seed: int) -> None:
        config = model.config
        self.model, self.layers = model, model.model.layers
        self.d, self.heads = config.hidden_size, config.num_attention_heads
        self.h = self.d // self.heads
        self.theta = model.model.rotary_emb.inv_freq.detach().float().cpu()
        slow = torch.nonzero(self.theta * SLOW <= 1.0).flatten()
        self.slow = torch.cat([slow, slow + self.h // 2])
        self.n = len(self.slow)
        self.tag = min(2 * self.n, self.h)
        self.blocks = self.tag // self.n
        if config.num_key_value_heads != self.heads or self.n < 12 or not self.blocks:
            raise ValueError("the circuit needs a key head per query head, and a rope_theta of about a million")
        self.generator = torch.Generator().manual_seed(seed)

    def draw(self, *shape: int) -> Tensor:
        """Standard normal numbers."""
        return torch.randn(*shape, generator=self.generator)


@torch.no_grad()
def induction_init(model: Qwen2ForCausalLM, seed: int) -> None:
    """Initialise `model` in place. Raises ValueError when its shape does not carry the circuit."""
    circuit = _Circuit(model, seed)
    _small_noise(circuit)
    _embeddings(circuit)
    for layer in circuit.layers:
        layer.self_attn.o_proj.weight.mul_(BRANCH)
        layer.mlp.down_proj.weight.mul_(BRANCH)
    for layer in circuit.layers[1:]:
        _attend_to_similar(circuit, layer.self_attn)
    _previous_token(circuit, circuit.layers[0].self_attn)
    _match_and_copy(circuit, circuit.layers[1].self_attn)


def _small_noise(circuit: _Circuit) -> None:
    for module in circuit.model.modules():
        if isinstance(module, torch.nn.Linear) and module is not circuit.model.lm_head:
            module.weight.copy_(circuit.draw(*module.weight.shape) * NOISE)
            if module.bias is not None:
                module.bias.zero_()


def _embeddings(circuit: _Circuit) -> None:
    """e ~ N(0, SIGMA²), the tag zero, code blocks scaled to the norm that they have on average."""
    table = circuit.draw(circuit.model.config.vocab_size, circuit.d) * SIGMA
    table[:, circuit.d - circuit.tag :] = 0
    for number in range(circuit.blocks):
        block = slice(number * circuit.n, (number + 1) * circuit.n)
        part = table[:, block]
        table[:, block] = part / part.norm(dim=1, keepdim=True) * SIGMA * math.sqrt(circuit.n)
    circuit.model.model.embed_tokens.weight.copy_(table)


def _attend_to_similar(circuit: _Circuit, attention: torch.nn.Module) -> None:
    """W_q ~ W_k in the slow dimensions: a token attends to residuals like its own (score std 0.15 sqrt(n))."""
    scale = math.sqrt(0.15 * math.sqrt(circuit.h) / circuit.d) * circuit.d**0.5
    for head in range(circuit.heads):
        shared = circuit.draw(circuit.n, circuit.d) / math.sqrt(circuit.d) * scale
        rows = head * circuit.h + circuit.slow
        attention.k_proj.weight[rows] = shared
        attention.q_proj.weight[rows] = shared + NOISE * circuit.draw(circuit.n, circuit.d)


def _previous_token(circuit: _Circuit, attention: torch.nn.Module) -> None:
    """Biases only: b_k = r_f (1, 0), b_q = r_f (cos theta_f, -sin theta_f), r_f² = a_f sqrt(h).

    After rotation the score at distance D is sum_f a_f cos(theta_f (D - 1)): largest at D = 1.
    """
    half, h = circuit.h // 2, circuit.h
    radius = (spectrum(circuit.theta) * math.sqrt(h)).sqrt()
    attention.k_proj.weight[:h] = 0
    attention.k_proj.bias[:half] = radius
    attention.k_proj.bias[half:h] = 0
    attention.q_proj.weight[:h] = 0
    attention.q_proj.bias[:h] = torch.cat([radius * torch.cos(circuit.theta), -radius * torch.sin(circuit.theta)])
    attention.v_proj.weight[:h] = 0
    attention.o_proj.weight[:, :h] = 0
    code = torch.arange(circuit.tag)
    attention.v_proj.weight[code, code] = 1.0
    attention.o_proj.weight[circuit.d - circuit.tag + code, code] = SIGMA


def _match_and_copy(circuit: _Circuit, attention: torch.nn.Module) -> None:
    """Score = MATCH <code(x_t), code(x_{s-1})>; the value carries head m's share of the content of x_s."""
    d, h, n = circuit.d, circuit.h, circuit.n
    gain, row = math.sqrt(MATCH * math.sqrt(h)), torch.arange(n)
    for head in range(min(circuit.heads, math.ceil((d - circuit.tag) / h))):
        block, rows = head % circuit.blocks, slice(head * h, (head + 1) * h)
        attention.k_proj.weight[rows] = 0
        attention.k_proj.weight[head * h + circuit.slow, d - circuit.tag + block * n + row] = gain
        attention.q_proj.weight[rows] = 0
        attention.q_proj.weight[head * h + circuit.slow, block * n + row] = gain
        carried = torch.arange(min(h, d - circuit.tag - head * h))
        attention.v_proj.weight[rows] = 0
        attention.o_proj.weight[:, rows] = 0
        attention.v_proj.weight[head * h + carried, head * h + carried] = 1.0
        attention.o_proj.weight[head * h + carried, head * h + carried] = COPY * SIGMA


def spectrum(theta_F: Tensor, least: float = 0.95, steps: int = 400) -> Tensor:
    """Non-negative a_F so that softmax_D(sum_f a_f cos(theta_f (D - 1))) puts `least` on D = 1 among CONTEXT keys."""
    distance = torch.arange(CONTEXT, dtype=torch.float64)
    curve_FD = torch.cos(theta_F.double()[:, None] * (distance[None] - 1)) - 1
    with torch.enable_grad():
        shape_F = torch.zeros(len(theta_F), dtype=torch.float64, requires_grad=True)
        optimiser = torch.optim.Adam([shape_F], lr=0.1)
        for _ in range(steps):  # the best shape for a fixed sum of 40
            optimiser.zero_grad()
            torch.logsumexp(40 * torch.softmax(shape_F, 0) @ curve_FD, 0).backward()
            optimiser.step()
    a_F, total = torch.softmax(shape_F.detach(), 0), 5.0
    while torch.exp(-torch.logsumexp(total * a_F @ curve_FD, 0)) < least and total < 400:
        total *= 1.05
    return (total * a_F).float()
