"""The public names, and what an import costs."""

import subprocess
import sys
import types

import trivium.episode as room

NAMES = """
Agent BoundaryError ConfigError Context DataError Draft Edit EngineError Environment Episode Failed Invalid Json
JudgeError Kind Life Malformed Message Node NodeId Outcome Part Piece Reward Role Sampled SandboxError Scored
StopReason StoreError Task Tool ToolCall ToolContext ToolError ToolResult ToolSpec Tree TriviumError Versions as_copy
dumps loads printable say without_surrogates
"""


def test_the_public_names_are_these():
    assert sorted(room.__all__) == sorted(NAMES.split())
    here = {name for name, value in vars(room).items() if not name.startswith("_")}
    modules = {name for name in here if isinstance(vars(room)[name], types.ModuleType)}
    assert here - modules == set(room.__all__)


def test_an_import_is_quick_and_brings_neither_torch_nor_numpy():
    code = (
        "import sys, time; start = time.process_time(); import trivium, trivium.episode;"
        "print(time.process_time() - start, *sorted({'torch', 'numpy', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, *heavy = done.stdout.split()
    assert heavy == []
    assert float(seconds) < 0.3
