"""A real server of OpenAI's protocol on loopback: the embedded policy, sampled by a LocalEngine, behind HTTP.

`moods` is what it does wrong with the next requests, one each, before it behaves: a status, or one of hang, reset,
half (dies in mid-answer), garbage, list, stranger (another prompt's ids), silent (ids and log-probs left out), or
spelled (ids told as older servers do).
"""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from trivium.episode import Message, Piece, ToolCall, ToolSpec
from trivium.policy import Sampling
from trivium.policy.local import LocalEngine
from trivium.policy.models import EMBEDDED_FOLDER, load_model
from trivium.policy.rendering import ChatML, Codec


@cache
def renderer():
    return ChatML(Codec.from_file(EMBEDDED_FOLDER))


@cache
def model():
    return load_model(EMBEDDED_FOLDER)[0]


class Server:
    def __init__(self, moods=(), key="", models=("embedded",), says=None):
        self.moods, self.key, self.models = list(moods), key, models
        self.seen, self.url, self.says = [], "", says
        self.engine = LocalEngine(model())

    async def serve(self, started):
        self.loop, self.ended = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        started.set()
        await self.ended.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await self.engine.close()

    async def _connected(self, reader, writer):
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _answer(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, *fields = head.split("\r\n")
        headers = dict(field.lower().split(": ", 1) for field in fields if ": " in field)
        body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))) or b"{}")
        self.seen.append((line.split()[1], headers, body))
        mood = self.moods.pop(0) if self.moods else ""
        if mood == "hang":
            await asyncio.sleep(600)
        if mood == "reset":
            writer.transport.abort()
            return
        status, answer = mood if isinstance(mood, int) else 200, b"{}"
        if self.key and headers.get("authorization") != f"bearer {self.key}".lower():
            status, answer = 401, f"wrong key: {headers.get('authorization')}".encode()
        if status == 200 and mood not in ("garbage", "list"):
            answer = json.dumps(await self._said(line.split()[1], body, mood)).encode()
        if mood in ("garbage", "list"):
            answer = b"<html>" if mood == "garbage" else b"[1]"
        wait = "retry-after: 0\r\n" if status == 429 else ""
        writer.write(
            f"HTTP/1.1 {status} x\r\ncontent-length: {len(answer)}\r\n{wait}connection: close\r\n\r\n".encode()
        )
        writer.write(answer[: len(answer) // 2] if mood == "half" else answer)
        await writer.drain()

    async def _said(self, path, body, mood):
        if path.endswith("/models"):
            return {"data": [{"id": name} for name in self.models]}
        chats = path.endswith("/chat/completions")
        if chats and self.says:
            message = {"role": "assistant", "content": self.says(body["messages"][-1]["content"])}
            return {"choices": [{"message": message, "finish_reason": "stop"}]}
        prompt = self._rendered(body) if chats else body["prompt"]
        sampling = Sampling(
            seed=body.get("seed", 0),
            max_tokens=body["max_tokens"],
            temperature=body["temperature"],
            stop_ids=renderer().stop_ids if chats else frozenset(body["stop_token_ids"]),
        )
        made = await self.engine.generate(prompt, sampling)
        choice = {"index": 0, "finish_reason": str(made.stop)}
        if chats:
            choice["message"] = self._message(made.tokens)
        elif mood == "spelled":
            spelled = [f"token_id:{token}" for token in made.tokens]
            choice["logprobs"] = {"tokens": spelled, "token_logprobs": made.logprobs}
        elif mood != "silent":
            choice |= {"token_ids": made.tokens, "logprobs": {"token_logprobs": made.logprobs}}
            choice["prompt_token_ids"] = [1] if mood == "stranger" else prompt
        return {"choices": [choice], "usage": {"completion_tokens": len(made.tokens)}}

    def _rendered(self, body):
        """The prompt, by the template of the model that is served."""
        told = [_message(item) for item in body["messages"]]
        tools = tuple(ToolSpec(**item["function"]) for item in body.get("tools", ()))
        first = Message(role=told[0].role, pieces=told[0].pieces, tools=tools)
        return [*renderer().opening([first, *told[1:]]).tokens, *renderer().lead()]

    def _message(self, tokens):
        said = renderer().parse(tokens)
        calls = [
            {"id": f"c{n}", "type": "function", "function": {"name": c.name, "arguments": json.dumps(c.arguments)}}
            for n, c in enumerate(said.calls)
        ]
        text = said.text + "".join(bad.text for bad in said.malformed)
        return {"role": "assistant", "content": text or None} | ({"tool_calls": calls} if calls else {})


def _message(item):
    functions = [call["function"] for call in item.get("tool_calls", ())]
    calls = tuple(ToolCall(each["name"], json.loads(each["arguments"])) for each in functions)
    return Message(role=item["role"], pieces=(Piece(item["content"]),) if item["content"] else (), calls=calls)


@contextmanager
def serving(moods=(), **how) -> Iterator[Server]:
    """A server in a thread of its own, for the length of a test; `says` (prompt to text) stands for the policy."""
    server, started = Server(moods, **how), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(started)))
    thread.start()
    assert started.wait(60)
    try:
        yield server
    finally:
        server.loop.call_soon_threadsafe(server.ended.set)
        thread.join(60)
        assert not thread.is_alive()
