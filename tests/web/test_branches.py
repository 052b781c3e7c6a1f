from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.episode import Draft, Kind, Tree
from trivium.web.branches import lanes


def forest(draws):
    """A tree whose node i hangs below node draws[i] % i, or is a root."""
    tree = Tree()
    for index, draw in enumerate(draws):
        parent = draw % index if index and draw % 8 else None
        tree.add(Draft(kind=Kind.USER, tokens=(1,)), parent)
    return tree.nodes


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=30))
def test_two_branches_never_share_a_lane_at_one_time(draws):
    nodes = forest(draws)
    lane = lanes(nodes)
    taken = {}
    for node in nodes:
        since = node.id if node.parent is None else node.parent + 1
        for row in range(since, node.id + 1):
            assert taken.setdefault((row, lane[node.id]), node.id) == node.id


def test_the_context_that_goes_on_keeps_its_lane():
    tree = Tree()
    for parent in (None, 0, 1, 2, 1, 4):  # 2 and 3: a notice and its action; 4: what went on
        tree.add(Draft(kind=Kind.USER, tokens=(1,)), parent)
    assert lanes(tree.nodes) == [0, 0, 1, 1, 0, 0]
