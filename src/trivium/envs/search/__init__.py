"""Search: find the documents that answer a question, within a small window, and cite them.

build_world           build.py          recipe -> SearchWorld: two Sides (libraries and tasks) that share no document
ChainMaker            chains.py         verified tasks of several hops over links
qrel_tasks            beir.py           a data set's own questions
SearchEnvironment     environment.py    one episode: prompt, tools, reward
Presentation          presentation.py   ids as the model sees them, drawn anew for every group
Expert, ExpertEngine  expert.py         scripted experts: SFT data, and the ceiling
babble                babble.py         made-up corpora: what copying is taught on
"""

from .babble import babble
from .build import SearchWorld, Side, build_world
from .chain_report import ChainReport
from .chains import ChainMaker, ChainSettings
from .environment import Library, SearchEnvironment
from .expert import Expert, Skill
from .expert_engine import ExpertEngine
from .presentation import Presentation

__all__ = [
    "ChainMaker",
    "ChainReport",
    "ChainSettings",
    "Expert",
    "ExpertEngine",
    "Library",
    "Presentation",
    "SearchEnvironment",
    "SearchWorld",
    "Side",
    "Skill",
    "babble",
    "build_world",
]
