"""The helper process of `grep`: a script that imports nothing but the standard library.

Reads one line of texts (a JSON list), then answers a line of JSON per line of JSON. While it matches, an alarm with
its default action stands behind it: the kernel ends the process when time is up, even if the parent has gone.
"""

import json
import re
import sys

MEMORY_BYTES = 512 << 20


def limit_memory() -> None:
    """Caps the address space beyond what the texts took, where the system can."""
    try:
        import resource
    except ImportError:  # Windows: the parent's clock is the only limit
        return
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_BYTES, used + MEMORY_BYTES))
    except (ValueError, OSError):  # macOS refuses some limits
        return


def set_alarm(seconds: float) -> None:
    """Sets (or, with 0, clears) the alarm, where the system has one."""
    try:
        from signal import ITIMER_REAL, setitimer
    except ImportError:
        return
    setitimer(ITIMER_REAL, seconds)


def answer(texts: list[str], pattern: str, limit: int) -> dict[str, object]:
    """Positions of the first `limit` texts that match, or the problem with the pattern."""
    rows: list[int] = []
    try:
        search = re.compile(pattern, re.MULTILINE).search
        for row, text in enumerate(texts):
            if len(rows) >= limit:
                break
            if search(text):
                rows.append(row)
    except (re.error, OverflowError, RecursionError) as error:
        return {"problem": f"the pattern is not a valid regular expression: {error}"}
    except MemoryError:
        return {"problem": "the pattern needs too much memory; use a simpler one"}
    return {"rows": rows}


def main() -> None:
    """Serves until standard input ends."""
    texts = json.loads(sys.stdin.buffer.readline())
    limit_memory()
    sys.stdout.write("{}\n")
    sys.stdout.flush()
    while line := sys.stdin.buffer.readline():
        request = json.loads(line)
        set_alarm(request["timeout_s"])
        reply = answer(texts, request["pattern"], request["limit"])
        set_alarm(0)
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
