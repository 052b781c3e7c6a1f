"""Brackets and quoted strings, followed letter by letter in text that arrives in pieces."""

import re

_LETTERS = re.compile(r"""\\[\s\S]?|["'{}\[\]()]""")


class BracketScanner:
    """Follows brackets and quoted strings; a backslash takes the next letter with it."""

    def __init__(self, python: bool = False) -> None:
        self.quote = ""
        self._depth = 0
        self._escaped = False
        self._quotes = "\"'" if python else '"'
        self._opens, self._closes = ("{[(", "}])") if python else ("{[", "}]")

    def read(self, text: str) -> int | None:
        """Read on; the place after the bracket that closes the outermost one, if it is here."""
        start = 1 if self._escaped and text else 0
        self._escaped = self._escaped and not text
        for found in _LETTERS.finditer(text, start):
            letter = found.group()
            if letter[0] == "\\":
                self._escaped = len(letter) == 1
            elif self._closed_by(letter):
                return found.end()
        return None

    def _closed_by(self, letter: str) -> bool:
        if self.quote:
            self.quote = "" if letter == self.quote else self.quote
        elif letter in self._quotes:
            self.quote = letter
        elif letter in self._opens:
            self._depth += 1
        elif letter in self._closes:
            self._depth -= 1
            return self._depth <= 0
        return False
