import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from trivium.episode.errors import ToolError
from trivium.retrieval import Grep

from .builders import chunks

EVIL = "a" * 40 + "b"


@pytest.fixture
def grep():
    searcher = Grep(chunks("A rope.", "Tea\nand rope", EVIL, *["rope"] * 9))
    yield searcher
    searcher.close()


def found(matches):
    return [piece.id for piece in matches.chunks]


def test_matches_come_in_corpus_order_up_to_the_limit(grep):
    assert found(grep.search("rope")) == ["d0_0", "d1_0", "d3_0", "d4_0", "d5_0"]
    assert found(grep.search("^and rope$")) == ["d1_0"]
    assert found(grep.search("ROPE")) == []
    assert found(grep.search("(?i)TEA", limit=1)) == ["d1_0"]


@pytest.mark.parametrize(
    "pattern", ["", "(", "[z-a]", "*", "a{2,1}", "(?P<n>a)(?P<n>b)", "(" * 900, "x" * 5000, "\\", "(?<=a+)b"]
)
def test_a_bad_pattern_is_a_problem_and_no_exception(grep, pattern):
    matches = grep.search(pattern)
    assert matches.chunks == ()
    assert matches.problem


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa)+$", r"(a|a)*c"])
def test_a_catastrophic_pattern_ends_in_time_and_the_next_one_works(grep, pattern):
    grep.search("rope")
    start = time.monotonic()
    matches = grep.search(pattern + "(?<!ab)Z", timeout_s=0.3)
    assert time.monotonic() - start < 5
    assert "did not finish within 0.3 s" in matches.problem
    assert found(grep.search("Tea")) == ["d1_0"]


@pytest.mark.parametrize("pattern", [r"(?:a{9999}){9999}", r"a{99999999}", "\ud800", "\x00"])
def test_a_huge_count_or_an_odd_character_does_no_harm(grep, pattern):
    assert grep.search(pattern).chunks == ()


def test_threads_may_share_it(grep):
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(grep.search, ["rope", "Tea"] * 20))
    assert {tuple(found(result)) for result in results[1::2]} == {("d1_0",)}


def test_a_killed_helper_is_replaced(grep):
    grep.search("rope")
    grep._worker.kill()
    grep._worker.wait()
    assert found(grep.search("Tea")) == ["d1_0"]


def test_a_stalled_helper_is_replaced_and_the_pattern_is_not_to_blame(grep, monkeypatch):
    monkeypatch.setattr("trivium.retrieval.grep.GRACE_S", 0.3)
    grep.search("rope")
    stalled = grep._worker
    stalled.send_signal(signal.SIGSTOP)
    assert found(grep.search("Tea", timeout_s=0.3)) == ["d1_0"]
    assert stalled.returncode == -signal.SIGKILL


STARTS = "import sys, time\nsys.stdin.readline()\nprint('{}', flush=True)\nsys.stdin.readline()\n"


@pytest.mark.parametrize("then", ["time.sleep(60)", "sys.exit(3)", "import os; os.kill(os.getpid(), 9)"])
def test_a_helper_that_stalls_or_dies_twice_is_an_error_of_the_tool(grep, monkeypatch, tmp_path, then):
    (tmp_path / "worker.py").write_text(STARTS + then)
    monkeypatch.setattr("trivium.retrieval.grep.GRACE_S", 0.3)
    monkeypatch.setattr("trivium.retrieval.grep.WORKER", tmp_path / "worker.py")
    with pytest.raises(ToolError, match="died or stalled twice over one call"):
        grep.search("rope", timeout_s=0.3)


@pytest.mark.skipif(not hasattr(os, "setsid"), reason="needs POSIX alarms")
def test_the_helper_ends_with_its_parent_even_while_it_matches():
    code = (
        "from trivium.retrieval import Chunk, Grep\n"
        "import os, threading\n"
        "grep = Grep([Chunk('d_0', 'd', 0, 'a' * 40 + 'b', '')]); grep.search('x')\n"
        "print(grep._worker.pid, flush=True)\n"
        "threading.Timer(0.3, os._exit, [0]).start(); grep.search('(a+)+$Z', timeout_s=1.0)\n"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    pid = int(child.stdout)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and _alive(pid):
        time.sleep(0.1)
    assert not _alive(pid)


def _alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_an_interpreter_that_cannot_start_is_an_error_of_the_tool(grep, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(ToolError, match="could not be started"):
        grep.search("rope")
