"""Plain functions off the event loop, on threads that may be abandoned.

Always true: a function that never returns keeps nothing waiting but its own caller, and the caller only until its
deadline: the thread is a daemon and belongs to no pool, so neither the loop nor the interpreter waits for it.
"""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


async def in_thread(function: Callable[..., T], /, *arguments: Any, **keywords: Any) -> T:
    """What `function` returns or raises, run in a thread of its own."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(value: T | None, error: BaseException | None) -> None:
        if answer.done():
            return  # nobody waits any more
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(value)  # type: ignore[arg-type]  # None only where T is

    def work() -> None:
        value, failed = None, None
        try:
            value = context.run(function, *arguments, **keywords)
        except BaseException as error:  # noqa: BLE001  SystemExit in a thread is a failure of its function
            is_plain = isinstance(error, Exception) and not isinstance(error, StopIteration)
            failed = error if is_plain else RuntimeError(f"it raised {type(error).__name__}: {error}")
        try:
            loop.call_soon_threadsafe(settle, value, failed)
        except RuntimeError:
            pass  # the loop is closed: the caller gave up long ago

    threading.Thread(target=work, daemon=True, name=f"tool {getattr(function, '__name__', function)}").start()
    return await answer
