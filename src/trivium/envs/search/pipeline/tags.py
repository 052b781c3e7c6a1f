"""Reading an answer by its tags."""

import re


def tagged(text: str, *names: str) -> dict[str, str] | str:
    """The text between the last pair of each tag, stripped; or what is missing, in words."""
    found: dict[str, str] = {}
    for name in names:
        spans = re.findall(rf"<{name}>(.*?)</{name}>", text, re.DOTALL)
        if not spans or not spans[-1].strip():
            return f"the answer has no <{name}>"
        found[name] = str(spans[-1]).strip()
    return found
