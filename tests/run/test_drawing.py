import time
from io import StringIO

from rich.console import Console

from trivium.cli.sparks import spark
from trivium.run import as_stages
from trivium.run.drawing import GAP, PATIENCE, Lines, Live
from trivium.run.step_line import Stopwatch, step_line

METRICS = {"term.reward": 0.5, "term.r_fa": 0.25, "learn.entropy": 1.0, "parity.k3": 1.5e-6}


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def lines():
    said, clock = [], Clock()
    return Lines(said.append, clock), said, clock


def test_a_step_is_one_line():
    assert (
        step_line(2, METRICS, 8.44) == "step    3  reward 0.500  answer found 0.250  entropy 1.000  k3 1.5e-06  8.4 s"
    )


def test_a_step_in_which_no_group_differed_says_so():
    assert "no group differed" in step_line(0, {"term.reward": 0.5}, 1.0)


def test_a_log_gets_few_lines_and_its_last_step():
    progress, said, clock = lines()
    for step in range(100):
        clock.now += GAP / 10
        progress.trained(step, METRICS)
    progress.flush()
    assert len(said) <= 12
    assert said[-1].startswith("step  100 ")


def test_a_long_stage_is_told_after_a_silence():
    progress, said, clock = lines()
    progress.trained(0, METRICS)
    progress.stage("evaluation: start", 200)
    progress.tick()
    clock.now += PATIENCE
    progress.tick()
    assert said[1:] == ["evaluation: start: 2 of 200"]


def test_a_stage_that_lasts_is_named_though_it_never_ticks(monkeypatch):
    monkeypatch.setattr("trivium.run.drawing.GAP", 0.05)
    said = []
    progress = Lines(said.append)
    progress.stage("model")
    progress.stage("dense index")
    deadline = time.monotonic() + 10
    while not said and time.monotonic() < deadline:
        time.sleep(0.01)
    progress.stage("tasks", 5)
    progress.flush()
    time.sleep(0.2)
    assert said == ["dense index ..."]


def test_what_indexing_tells_becomes_stages_and_ticks():
    progress, said, clock = lines()
    tell = as_stages(progress)
    for done in (1, 65, 100):
        clock.now += PATIENCE
        tell("training: chunk", done, 100)
    clock.now += PATIENCE
    tell("held-out: chunk", 1, 10)
    progress.flush()
    assert said == [
        "training: chunk: 1 of 100",
        "training: chunk: 2 of 100",
        "training: chunk: 66 of 100",
        "held-out: chunk: 1 of 10",
    ]


def test_sparks_run_from_least_to_largest():
    assert spark([0, 1, 2, 3]) == "▁▃▆█"
    assert spark([2, 2]) == "▁▁"
    assert spark([]) == ""
    assert len(spark(list(range(1000)), width=40)) == 40
    assert spark([float("nan"), 1.0]) == "▁"


def test_a_step_is_timed_from_its_first_stage():
    clock = Clock()
    watch = Stopwatch(clock)
    clock.now += 50
    watch.stage("step 1: rollouts")
    clock.now += 3
    watch.stage("step 1: update")
    clock.now += 2
    assert watch.seconds() == 5
    watch.stage("step 2: rollouts")
    assert watch.seconds() == 0


def test_a_step_held_back_is_said_before_what_follows_it():
    progress, said, clock = lines()
    progress.trained(0, METRICS)
    progress.trained(1, METRICS)
    clock.now += PATIENCE
    progress.tick()
    assert [line[:9] for line in said] == ["step    1", "step    2"]


def test_a_terminal_gets_a_bar_and_keeps_the_lines():
    console = Console(file=StringIO(), force_terminal=True, width=100, highlight=False)
    live = Live(console)
    with live.bars:
        live.stage("step 1: rollouts", 2)
        live.tick()
        live.tick()
        live.trained(0, METRICS)
    assert "2/2" in console.file.getvalue()
    assert "reward 0.500" in console.file.getvalue()
