"""Options that stand for keys of a recipe, as overrides."""

from pathlib import Path


def over_data(data: Path, *, asks: bool = True) -> list[str]:
    """A folder of the user's as the corpus; `asks`: its own questions are the tasks, where it has some."""
    judged = (data / "queries.jsonl").is_file()
    chosen = [
        f"environment.corpus.kind={'beir' if judged else 'folder'}",
        f"environment.corpus.path={toml(str(data))}",
    ]
    return [*chosen, f"environment.tasks.kind={'qrels' if judged else 'chains'}"] if asks else chosen


def toml(text: str) -> str:
    """A string as a TOML value."""
    import tomli_w

    return tomli_w.dumps({"value": text}).removeprefix("value = ").strip()
