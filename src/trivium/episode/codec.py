"""Bytes of an episode, framed so that a torn or altered record is never read as a whole one.

Frame: magic ``TRV1``, CRC-32 of the body (4 bytes), length of the body (8 bytes), body (zlib of MessagePack). Nothing
is ever unpickled.
"""

import struct
import zlib

import msgspec

from .episode import Episode
from .errors import StoreError

_HEAD = struct.Struct(">4sIQ")
_MAGIC = b"TRV1"
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Episode)


def dumps(episode: Episode) -> bytes:
    """Encode an episode; `loads` gives an equal one, in which every dict keeps its order.

    Raises StoreError when a tool or a term put something into it that no record can hold.
    """
    try:
        body = zlib.compress(_ENCODER.encode(episode), 1)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise StoreError(
            f"episode {episode.id} cannot be kept ({error}); give its state text in UTF-8 and what JSON holds"
        ) from error
    return _HEAD.pack(_MAGIC, zlib.crc32(body), len(body)) + body


def loads(data: bytes) -> Episode:
    """Decode an episode. Raises StoreError when the record is torn, altered or of another schema."""
    if len(data) < _HEAD.size:
        raise StoreError(
            f"the episode record is torn: {len(data)} bytes, its header needs {_HEAD.size}; restore it or drop it"
        )
    magic, crc, length = _HEAD.unpack_from(data)
    body = data[_HEAD.size :]
    if magic != _MAGIC:
        raise StoreError(f"the record begins with {magic!r}, not {_MAGIC!r}: it is not an episode of this version")
    if len(body) != length or zlib.crc32(body) != crc:
        raise StoreError(
            f"the episode record is torn: {len(body)} of {length} bytes, or altered; restore it or drop it"
        )
    try:
        return _DECODER.decode(zlib.decompress(body))
    except (msgspec.MsgspecError, zlib.error) as error:
        raise StoreError(
            f"the episode record has another schema ({error}); read it with the version that wrote it"
        ) from error
