"""Constructed induction circuit for a small Qwen2ForCausalLM."""
import math
import torch


def _offset_spectrum(inv_freq, T, p_min=0.95, steps=400):
    """Non-negative a_f with softmax_D( sum_f a_f cos(theta_f (D-1)) )[D=1] >= p_min for D = 0..T-1."""
    th = inv_freq.double()
    D = torch.arange(T, dtype=torch.float64)
    C = torch.cos(th[:, None] * (D[None] - 1)) - 1            # (F,T), 0 at D=1
    with torch.enable_grad():
        w = torch.zeros(len(th), dtype=torch.float64, requires_grad=True)
        opt = torch.optim.Adam([w], lr=0.1)
        for _ in range(steps):                                # best shape for a fixed budget of 40
            loss = torch.logsumexp(40 * torch.softmax(w, 0) @ C, 0)
            opt.zero_grad(); loss.backward(); opt.step()
    a = torch.softmax(w.detach(), 0)
    s = 5.0
    while torch.exp(-torch.logsumexp(s * a @ C, 0)) < p_min and s < 400:
        s *= 1.05
    return (s * a).float()


@torch.no_grad()
def induction_init(model, seed=0, *, sigma=0.04, max_ctx=1024, slow_ctx=640, n_match=None, alpha=0.35,
                   tag_gain=1.0, final_gain=1.0, copy_gain=3.0, p_prev=0.95, noise=0.02, branch=0.25, mode="full",
                   mimetic=True, window=0, window_amp=6.0):
    """Initialise `model` (Qwen2ForCausalLM, tied embeddings, QKV bias) so that it copies from step 0.

    Residual stream layout (d = hidden_size, hd = head_dim, ns = number of slow head dims):
      coords [0, d-dt)  content: embedding ~ N(0, sigma^2); blocks A=[0,ns), B=[ns,2ns) rescaled to norm
                        sigma*sqrt(ns), so each token has a constant-norm code in A and in B
      coords [d-dt, d)  tag, dt = min(2 ns, hd): zero in the embedding, so it neither disturbs the (tied)
                        logits nor the content; layer 0 writes the code of the PREVIOUS token here.
    "Slow" head dims: RoPE pairs (i, i+hd/2) with theta_i * slow_ctx <= 1 rad; only these carry content
    matching, so the score hardly depends on distance.

    (a) Layer 0, KV group 0, query head 0 = previous-token head. W_q = W_k = 0, biases only. Pair f of the
        keys has b_k = r_f (1, 0), of the queries b_q = r_f (cos th_f, -sin th_f), r_f^2 = a_f sqrt(hd);
        after RoPE  score(D) = sum_f a_f cos(th_f (D-1)),  D = query pos - key pos,
        which is largest at D = 1 for any content. a_f >= 0 is fitted (_offset_spectrum) so that
        softmax(score)[1] >= p_prev with max_ctx keys. W_v row j reads content coord j (j < dt); W_o writes
        it to coord d-dt+j with gain tag_gain*sigma.
        Further query heads of the same KV group (GQA) keep the key, become offset-2, -3.. heads, and start
        with W_o = 0.
    (b) Layer 1, heads m = 0..n_match-1 = matching heads: slow dims of W_q read the code block (A for even
        m, B for odd) of the current token, slow dims of W_k read the tag (code of the token before the
        key), gain g, with g^2 ns / sqrt(hd) = alpha ns: score = alpha <code(x_t), code(x_{s-1})>, about
        alpha*ns for a match, +-alpha*sqrt(ns) for others. W_v/W_o of head m carry content coords
        [m hd, (m+1) hd) through with gain copy_gain*sigma: adds copy_gain * embedding(x_s), whose tied
        logit rises. With ceil((d-dt)/hd) KV heads all of the embedding is copied.
    All other heads of layers >= 1, if mimetic: slow dims of W_q and W_k share one random projection
    (W_q^T W_k ~ alpha' I): a token attends to similar residuals. Other weights N(0, noise^2); W_o and W_down
    of the rest are scaled by `branch` so that an unbuilt branch does not swamp the residual (rms ~ sigma).

    (c) window > 0: the free heads of layer 1 and every second KV group of the later layers get equal q and
        k biases on the pairs with 0.2 <= theta*window <= 3: score(D) = window_amp * mean_f cos(theta_f D),
        a soft preference for the last ~window tokens ("same record"); content may override it.

    mode: "full" | "prev" (only (a)) | "mimetic" (only W_q ~ W_k) | "random" (HF-like N(0, noise^2)).
    """
    c = model.config
    d, H, KV = c.hidden_size, c.num_attention_heads, c.num_key_value_heads
    hd = getattr(c, "head_dim", None) or d // H
    G, half = H // KV, hd // 2
    gen = torch.Generator().manual_seed(seed)
    rn = lambda *s: torch.randn(*s, generator=gen)
    th = model.model.rotary_emb.inv_freq.detach().float().cpu()
    slow = torch.nonzero(th * slow_ctx <= 1.0).flatten()
    slow_dims = torch.cat([slow, slow + half])
    ns = len(slow_dims)
    dt = min(2 * ns, hd)
    nb = dt // ns if dt >= ns else 0
    assert mode == "random" or ns >= 12, "rope_theta too small: too few slow dims"
    n_match = n_match or min(KV, math.ceil((d - dt) / hd))

    for m in model.modules():
        if isinstance(m, torch.nn.Linear) and m is not model.lm_head:
            m.weight.copy_(rn(*m.weight.shape) * noise)
            if m.bias is not None:
                m.bias.zero_()
        elif m.__class__.__name__.endswith("RMSNorm"):
            m.weight.fill_(1.0)
    E = rn(c.vocab_size, d) * (noise if mode == "random" else sigma)
    if mode in ("full", "prev"):
        E[:, d - dt:] = 0
        for b in range(nb):
            blk = E[:, b * ns:(b + 1) * ns]
            E[:, b * ns:(b + 1) * ns] = blk / blk.norm(dim=1, keepdim=True) * sigma * math.sqrt(ns)
    model.model.embed_tokens.weight.copy_(E)
    model.lm_head.weight = model.model.embed_tokens.weight
    if mode == "random":
        return
    model.model.norm.weight.fill_(final_gain)
    for layer in model.model.layers:
        layer.self_attn.o_proj.weight.mul_(branch)
        layer.mlp.down_proj.weight.mul_(branch)

    if mimetic or mode == "mimetic":
        for li, layer in enumerate(model.model.layers):
            if li == 0 and mode != "mimetic":
                continue
            a = layer.self_attn
            for kv in range(KV):
                g = math.sqrt(0.15 * math.sqrt(hd) / d) * d ** 0.5   # score std ~ 0.15*sqrt(ns)
                W = rn(ns, d) / math.sqrt(d) * g
                a.k_proj.weight[kv * hd + slow_dims] = W
                for q in range(G):
                    a.q_proj.weight[(kv * G + q) * hd + slow_dims] = W + noise * rn(ns, d)
    if mode == "mimetic":
        return

    # (a) previous-token head(s)
    a = model.model.layers[0].self_attn
    r = (_offset_spectrum(th, max_ctx, p_prev) * math.sqrt(hd)).sqrt()
    a.k_proj.weight[:hd] = 0
    a.k_proj.bias[:half] = r
    a.k_proj.bias[half:hd] = 0
    for q in range(G):
        s = slice(q * hd, (q + 1) * hd)
        a.q_proj.weight[s] = 0
        a.q_proj.bias[s] = torch.cat([r * torch.cos(th * (q + 1)), -r * torch.sin(th * (q + 1))])
    a.v_proj.weight[:hd] = 0
    a.o_proj.weight[:, :G * hd] = 0                        # GQA siblings start silent
    j = torch.arange(dt)
    a.v_proj.weight[j, j] = 1.0
    a.o_proj.weight[d - dt + j, j] = tag_gain * sigma
    if mode == "prev":
        return

    # (c) window heads: soft recency bias, content still learned on the slow dims
    if window:
        mid = (th * window >= 0.2) & (th * window <= 3.0)
        r = torch.sqrt(window_amp * math.sqrt(hd) / mid.sum()) * mid.float()
        for li in range(1, len(model.model.layers)):
            a = model.model.layers[li].self_attn
            for kv in (range(n_match, KV) if li == 1 else range(0, KV, 2)):
                a.k_proj.bias[kv * hd:kv * hd + half] = r
                for q in range(kv * G, kv * G + G):
                    a.q_proj.bias[q * hd:q * hd + half] = r

    # (b) matching heads
    a = model.model.layers[1].self_attn
    g = math.sqrt(alpha * math.sqrt(hd))
    k = torch.arange(ns)
    for m in range(n_match):
        b = m % nb
        a.k_proj.weight[m * hd:(m + 1) * hd] = 0
        a.k_proj.weight[m * hd + slow_dims, d - dt + b * ns + k] = g
        rows = slice(m * G * hd, (m * G + 1) * hd)          # first query head of KV group m
        a.q_proj.weight[rows] = 0
        a.q_proj.weight[m * G * hd + slow_dims, b * ns + k] = g
        n = min(hd, d - dt - m * hd)
        if n <= 0:
            continue
        i = torch.arange(n)
        a.v_proj.weight[m * hd:(m + 1) * hd] = 0
        a.o_proj.weight[:, rows] = 0
        a.o_proj.weight[:, m * G * hd:(m + 1) * G * hd] = 0  # GQA siblings share V: start silent
        a.v_proj.weight[m * hd + i, m * hd + i] = 1.0
        a.o_proj.weight[m * hd + i, m * G * hd + i] = copy_gain * sigma
