"""Tasks from a BEIR data set: its questions, with the judged documents as facts.

The answer stands in the gold documents that hold one of the set's short answers; where it names none, in any of them.
"""

from trivium.episode import Task
from trivium.retrieval import Beir

from .facts import facts_data


def qrel_tasks(data: Beir) -> tuple[Task, ...]:
    """One task per question that has at least one judged document."""
    tasks = []
    for query in data.queries:
        judged = data.gold(query.id)
        if not judged:
            continue
        texts = {item: f"{found.title} {found.text}" for item in judged if (found := data.corpus.document(item))}
        holding = [item for item, text in texts.items() if any(answer in text for answer in query.answers if answer)]
        facts = facts_data(
            [[item] for item in judged], holding or judged, {"queries": [query.text], "hops": len(judged)}
        )
        tasks.append(Task(id=query.id, prompt=query.text, family="qrels", data=facts))
    return tuple(tasks)
