"""Tasks from a BEIR data set: its questions, with the judged documents as facts.

An answer that stands in no judged document, and a bare yes or no, cannot be cited: such a question has no answer here.
"""

from trivium.episode import Task
from trivium.retrieval import Beir

from .facts import facts_data, holds

_UNCITABLE = frozenset({"yes", "no"})


def qrel_tasks(data: Beir) -> tuple[Task, ...]:
    """One task per question that has at least one judged document."""
    tasks = []
    for query in data.queries:
        judged = data.gold(query.id)
        if not judged:
            continue
        texts = [f"{found.title}: {found.text}" for item in judged if (found := data.corpus.document(item))]
        citable = [a for a in query.answers if a.strip().lower() not in _UNCITABLE and any(holds(t, a) for t in texts)]
        facts = facts_data([[item] for item in judged], citable, {"queries": [query.text], "hops": len(judged)})
        tasks.append(Task(id=query.id, prompt=query.text, family="qrels", data=facts))
    return tuple(tasks)
