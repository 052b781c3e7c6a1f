"""The record of an episode: whole, or refused."""

import struct
import zlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.episode import Context, Episode, StoreError, Task, dumps, loads

from .builders import EPISODES, action, calm, read


def small():
    episode = Episode(id="e", task=Task(id="t", prompt="ask", data={"b": 1, "a": 2}), group="g", seed=1)
    context = Context(episode.tree).append(read(1, 2)).append(action(3, 4, lead=1))
    episode.main.tip = context.tip
    return episode


@calm
@given(EPISODES)
def test_a_round_trip_gives_the_same_episode_and_the_same_bytes(episode):
    data = dumps(episode)
    assert loads(data) == episode
    assert dumps(loads(data)) == data


def test_dicts_keep_their_order():
    assert list(loads(dumps(small())).task.data) == ["b", "a"]


@pytest.mark.parametrize("odd", ["half \ud800", object(), 1 << 70])
def test_what_no_record_can_hold_is_an_error_of_the_store(odd):
    episode = small()
    episode.state["kept"] = odd
    with pytest.raises(StoreError, match="episode e cannot be kept"):
        dumps(episode)


def test_a_record_cut_anywhere_is_refused():
    data = dumps(small())
    for size in range(len(data)):
        with pytest.raises(StoreError):
            loads(data[:size])


def test_a_record_with_any_byte_altered_is_refused():
    data = dumps(small())
    for place in range(len(data)):
        for flip in (0x01, 0x80, 0xFF):
            with pytest.raises(StoreError):
                loads(data[:place] + bytes([data[place] ^ flip]) + data[place + 1 :])


def test_a_longer_record_is_refused():
    with pytest.raises(StoreError, match="torn"):
        loads(dumps(small()) + b"x")


@calm
@given(st.binary(max_size=64))
def test_noise_is_refused(noise):
    with pytest.raises(StoreError):
        loads(noise)


@pytest.mark.parametrize(
    "body", [b"", b"no zlib", zlib.compress(b""), zlib.compress(msgspec.msgpack.encode({"id": 1}))]
)
def test_a_whole_frame_around_something_else_is_refused(body):
    frame = struct.pack(">4sIQ", b"TRV1", zlib.crc32(body), len(body)) + body
    with pytest.raises(StoreError, match="schema"):
        loads(frame)
