"""What an agent reads back after its calls: one observation per answer, and the usage line.

Always true: the usage line ends the last observation and states the tokens of the context once it stands, itself
included; an action that no stop token closed is closed by what follows it.
"""

from collections.abc import Sequence

from trivium.episode import Context, Draft, Kind, Message, Node, StopReason, ToolResult, ToolSpec
from trivium.policy.rendering import Rendered, Renderer

from .counting import count, frame
from .editing import Pruning

_PADS = ("", " ", "\n", " \n")


def observe(context: Context, answers: Sequence[ToolResult], renderer: Renderer, strategy: Pruning) -> Context:
    """The context that reads these answers, in order."""
    messages = [Message(role="tool", pieces=answer.pieces) for answer in answers]
    messages, rendered = _with_usage(context, messages, renderer, strategy)
    for message, item in zip(messages, rendered, strict=True):
        context = context.append(Draft(kind=Kind.OBSERVATION, tokens=item.tokens, parts=item.parts, message=message))
    return context


def _with_usage(
    context: Context, messages: Sequence[Message], renderer: Renderer, strategy: Pruning
) -> tuple[list[Message], tuple[Rendered, ...]]:
    """The messages with the usage line on the last, and their tokens.

    The line counts itself, so its number is found by trial. Where no number N makes the line's own count N,
    white space after the line shifts the sum until there is one.
    """
    *before, last = messages
    closes, after = is_open(context.last), spoken(context.last)
    guess = without = len(context) + _estimate(messages, renderer, closes)
    for _ in range(3):
        guess = without + count(renderer, strategy.usage(guess).text)
    for pad in _PADS:
        used = guess
        for _ in range(6):
            ended = Message(role="tool", pieces=(*last.pieces, strategy.usage(used, pad)))
            rendered = renderer.messages([*before, ended], closes=closes, after=after)
            total = len(context) + sum(len(item.tokens) for item in rendered)
            if total == used:
                return [*before, ended], rendered
            used = total
    raise AssertionError(f"no usage line near {guess} tokens counts itself right")


def _estimate(messages: Sequence[Message], renderer: Renderer, closes: bool) -> int:
    """Tokens of the messages, from what is counted already: right but where a template's words join the text's."""
    texts = (piece.text for message in messages for piece in message.pieces)
    return frame(renderer, len(messages), closes) + sum(count(renderer, text) for text in texts)


def spoken(node: Node | None) -> tuple[int, ...]:
    """What was sampled in a node; nothing where it is no action."""
    return node.tokens[node.lead :] if node is not None and node.sampled is not None else ()


def shown_tools(nodes: Sequence[Node]) -> tuple[ToolSpec, ...]:
    """The tools that these nodes show."""
    return tuple(spec for node in nodes if node.message is not None for spec in node.message.tools)


def is_open(last: Node | None) -> bool:
    """True when the last node is an action that no stop token closed: the renderer must close it first."""
    return last is not None and last.sampled is not None and last.sampled.stop is not StopReason.STOP
