"""The public names of the room."""

import trivium.harness as room

NAMES = """
Budget FunctionTool Harness PRUNE Pruning Ruler derive_seed in_thread is_open opening prune pruned_ids
refusal run_episode score shown_tools spoken step tool
"""


def test_the_public_names_are_these():
    assert sorted(room.__all__) == sorted(NAMES.split())
    assert all(hasattr(room, name) for name in room.__all__)
