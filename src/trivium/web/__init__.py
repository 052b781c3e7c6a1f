"""What a person looks at: gathered once, printed by the commands, and drawn here as a page.

    run_page                  page.py            a run as one HTML file; its parts:
                              curves.py, chart.py, scale.py         lines with axes
                              tables.py                             arms and differences
                              episode_page.py, window.py,           one episode: what the window held, the tree as
                              branches.py, words.py                 lanes, every token shaded by its log-prob
                              markup.py, page.css                   HTML as values; the looks, light and dark
    CURVES, figures, ...      overview.py        what there is to say about a run
    spans, fate, ...          reading.py         what there is to say about an episode

Always true: it reads a run and writes nothing; no text of a model or a corpus becomes markup. No torch.
"""

from .overview import (
    CURVES,
    Figures,
    event_lines,
    families,
    figures,
    finding_lines,
    outcome_lines,
    ranked,
    recipe_lines,
    unread,
    ways_on,
)
from .page import run_page
from .reading import Decode, again, decoder, head_lines, known, node_head, pruned_of, spans, tail_lines

__all__ = [
    "CURVES",
    "Decode",
    "Figures",
    "again",
    "decoder",
    "event_lines",
    "families",
    "figures",
    "finding_lines",
    "head_lines",
    "known",
    "node_head",
    "outcome_lines",
    "pruned_of",
    "ranked",
    "recipe_lines",
    "run_page",
    "spans",
    "tail_lines",
    "unread",
    "ways_on",
]
