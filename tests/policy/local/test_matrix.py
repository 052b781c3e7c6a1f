"""A large matrix in oneDNN's order multiplies as any other."""

import pytest
import torch
import torch.nn.functional as F

from trivium.policy.local.matrix import WORTH, Matrix


@pytest.mark.parametrize("rows", [1, 5, 64])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("out", [64, 1 + WORTH // 512])
def test_the_product_is_that_of_the_weights(rows, biased, out):
    torch.manual_seed(0)
    weight, x = torch.randn(out, 512), torch.randn(rows, 512)
    bias = torch.randn(out) if biased else None
    with torch.inference_mode():
        found = Matrix(weight)(x, bias)
    exact = F.linear(x.double(), weight.double(), None if bias is None else bias.double())
    assert float((found.double() - exact).abs().max()) < 1e-3
    assert (Matrix(weight)._ordered is None) == (weight.numel() < WORTH or not torch._C._has_mkldnn)


def test_weights_that_change_later_do_not_reach_it():
    weight = torch.ones(2048, 512)
    matrix = Matrix(weight)
    weight.zero_()
    assert float(matrix(torch.ones(1, 512)).max()) == 512.0
