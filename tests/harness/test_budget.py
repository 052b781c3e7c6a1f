"""Limits: what is refused when, and how parallel calls share the room."""

import pytest

from trivium.episode import ConfigError, Kind
from trivium.harness import Budget

from .world import Shelf, chunk, harness, live, pruned, renderer, show, steps, text, wide


def test_the_defaults_keep_the_ratios_of_context_1():
    budget = Budget.of(32_768)
    assert (budget.soft, budget.hard, budget.per_call) == (16_384, 24_576, 4096)
    assert Budget.of(1024, soft=300).hard == 300 + (1024 - 300) // 2
    assert Budget.of(1024, soft=800).hard == 912
    assert budget.allowance(20_000) == 4096
    assert budget.allowance(32_768 - 3000) == 1500
    assert budget.allowance(32_768 - 100) == 512


@pytest.mark.parametrize(
    "wrong", [{"soft": 0}, {"soft": 90}, {"hard": 101}, {"per_call": 0}, {"reply": 0}, {"turns": 0}]
)
def test_limits_that_do_not_rise_are_refused(wrong):
    with pytest.raises(ConfigError):
        Budget(**({"window": 100, "soft": 50, "hard": 80, "per_call": 10, "reply": 10} | wrong))


def test_calls_side_by_side_get_no_more_together_than_one_after_another():
    budget = wide(8000)
    for used in range(0, 6001, 250):
        assert budget.share(used, 1) == budget.allowance(used)
        for calls in (2, 3, 7):
            assert 1 <= budget.share(used, calls) <= budget.allowance(used)
            assert calls * budget.share(used, calls) <= max(calls, budget.hard + budget.per_call - used)


def test_below_the_hard_limit_nothing_is_refused_and_above_only_pruning_and_an_answer_work():
    shelf = Shelf({"11": chunk("11", 200)})
    budget = wide(3000, soft=600, hard=900, reply=500)
    lived = live(harness(show("11"), show("12"), pruned("11"), show("12"), "done", budget=budget), shelf)
    observations = [
        node.message.text for node in lived.tree.nodes if node.kind is Kind.OBSERVATION and not node.copy_of
    ]
    said = ["refused" if "nearly full" in item else "ok" for item in observations]
    assert said == ["ok", "refused", "ok", "ok"]
    assert lived.counters["refused_calls"] == 1
    assert lived.answer == "done"
    assert "concluded" in lived.counters


def test_siblings_share_one_budget_in_order():
    shelf = Shelf({name: chunk(name, 60) for name in ("11", "12", "13")})
    budget = wide(4000, soft=500, hard=1000, reply=500)
    lived = steps(harness(show("11") + show("12") + show("13") + show("14"), budget=budget), 1, shelf)
    said = [node.message.text for node in lived.context(lived.main).nodes if node.kind is Kind.OBSERVATION]
    assert ["nearly full" in item for item in said] == [False, False, True, True]


def test_the_room_of_a_call_shrinks_with_what_its_siblings_returned():
    shelf = Shelf({name: chunk(name, 60) for name in ("11", "12", "13")})
    budget = wide(1700, soft=1400, hard=1690, per_call=600, reply=500)
    steps(harness(show("11") + show("12") + show("13"), budget=budget), 1, shelf)
    assert shelf.rooms == sorted(shelf.rooms, reverse=True)
    assert len(set(shelf.rooms)) > 1


def test_the_notice_conditions_one_generation_and_is_part_of_no_later_context():
    seen = []
    shelf = Shelf({"11": chunk("11", 120)})
    budget = wide(4000, soft=700, hard=3000)
    lived = steps(
        harness(show("11"), show("12"), pruned("11"), show("13"), budget=budget, notice="NOTICE", seen=seen), 4, shelf
    )
    prompts = [renderer().decode(prompt) for prompt in seen]
    assert ["NOTICE" in prompt for prompt in prompts] == [False, True, True, False]
    assert all(prompt.count("NOTICE") <= 1 for prompt in prompts)
    assert "NOTICE" not in text(lived)
    assert lived.counters["notices"] == 2
    assert lived.counters["over_soft"] == 2
    actions = lived.tree.actions()
    assert [sum(node.kind is Kind.NOTICE for node in lived.tree.path(node.id)) for node in actions] == [0, 1, 1, 0]
    for node, prompt in zip(actions, seen, strict=True):  # each action hangs on exactly what it was sampled after
        read = [token for item in lived.tree.path(node.parent) for token in item.tokens]
        assert read + list(renderer().lead()) == prompt


def test_a_notice_that_would_not_fit_is_left_out():
    budget = wide(1000, soft=300, hard=990, reply=300)
    lived = steps(harness(show("11"), show("12"), budget=budget, notice="N" * 900), 2, Shelf({"11": chunk("11", 30)}))
    assert "notices" not in lived.counters
    assert lived.counters["over_soft"] == 1


def test_only_sampled_tokens_carry_loss():
    lived = live(harness(show("11"), pruned("11"), "done", budget=wide(2000, soft=300), notice="NOTICE"))
    for node in lived.tree.nodes:
        assert (node.kind is Kind.ACTION) == (node.sampled is not None)
        if node.sampled is not None:
            assert node.tokens[: node.lead] == renderer().lead()
            assert len(node.sampled.logprobs) == len(node.tokens) - node.lead
    assert len(lived.tree.actions()) == lived.main.turns == 3


def test_an_opening_that_leaves_no_room_is_no_reward():
    lived = live(harness("done", budget=wide(200)), prompt="ask " * 100)
    assert lived.outcome.boundary == "world"
    assert "raise the window or shorten the task" in lived.outcome.reason


def test_two_tools_of_one_name_are_refused():
    with pytest.raises(ConfigError, match="two tools of one name"):
        live(harness("done"), Shelf(), Shelf())


def test_a_spent_budget_of_turns_is_scored():
    lived = live(harness(*[show(str(turn)) for turn in range(9)], budget=wide(turns=3)))
    assert lived.main.turns == 3
    assert lived.counters["turns_spent"] == 1
    assert (lived.outcome.reward, lived.outcome.answer) == (3.0, "")


def test_a_spent_window_is_scored_and_nothing_is_read_past_it():
    seen = []
    budget = wide(1200, soft=1000, hard=1190, per_call=600, reply=300)
    shelf = Shelf({str(turn): chunk(str(turn), 40) for turn in range(9)})
    lived = live(harness(*[show(str(turn)) for turn in range(9)], budget=budget, seen=seen), shelf)
    assert lived.counters["window_spent"] == 1
    assert lived.outcome.reward > 0
    assert all(len(prompt) < 1200 for prompt in seen)
    assert all(lived.tree.nodes[node.id].end <= 1200 for node in lived.tree.actions())
