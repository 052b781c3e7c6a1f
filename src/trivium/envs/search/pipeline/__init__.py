"""Making tasks: explore, chain, verify, distract (Context-1's data generation), by a model or by structure.

    make_items      stages.py      numbers -> items, resumable; Report counts what was refused, where and why
    Author          author.py      who explores and chains: the seam
      Structure     structure.py   over links, by ChainMaker
      Writer        writer.py      any model that answers a prompt with text (prompts.py, tags.py)
    Item, Hop       item.py        a task with its gold chunks, quotes and distractors
    Verifier        verify.py      what an item must withstand, by code (match.py, checks.py)
    distractors     distract.py    what looks like gold and holds no truth
    EvidenceJudge   evidence.py    the same question of natural data: is this the evidence?
    Ledger          ledger.py      one line per number, whole or absent
    write_set       export.py      a folder in BEIR layout

Always true: no item leaves without passing the verifier after its distractors were chosen, whoever wrote it.
"""

from .author import Author, Refused
from .distract import distractors
from .evidence import Claim, EvidenceJudge
from .export import write_set
from .item import Hop, Item
from .ledger import Ledger, Line, read_lines
from .stages import Report, Settings, make_items
from .structure import Structure
from .verify import Verifier
from .writer import Writer

__all__ = [
    "Author",
    "Claim",
    "EvidenceJudge",
    "Hop",
    "Item",
    "Ledger",
    "Line",
    "Refused",
    "Report",
    "Settings",
    "Structure",
    "Verifier",
    "Writer",
    "distractors",
    "make_items",
    "read_lines",
    "write_set",
]
