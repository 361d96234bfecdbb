"""Width and height of an image, read from the first bytes of its file."""

import struct

_JPEG_MARKER = 0xFF
# SOF0 to SOF15 hold the size; C4, C8 and CC in between are other segments (ITU T.81, table B.1).
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# The 14 bits that hold a width or height in two of the three payloads of WebP.
_WEBP_BITS = 0x3FFF


def read_image_size(data: bytes) -> tuple[int, int] | None:
    """(width, height) in pixels of a PNG, GIF, BMP, JPEG or WebP, or None if the bytes are none of these."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
            return _pair(struct.unpack_from(">II", data, 16))
        if data.startswith((b"GIF87a", b"GIF89a")):
            return _pair(struct.unpack_from("<HH", data, 6))
        if data.startswith(b"BM"):
            width, height = struct.unpack_from("<ii", data, 18)
            return width, abs(height)
        if data.startswith(b"\xff\xd8"):
            return _read_jpeg(data)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _read_webp(data)
    except (struct.error, IndexError):
        pass
    return None


def _pair(numbers: tuple[int, ...]) -> tuple[int, int]:
    width, height = numbers
    return width, height


def _read_jpeg(data: bytes) -> tuple[int, int] | None:
    """The size in the first frame header; segments before it are stepped over by their lengths."""
    position = 2
    while data[position] == _JPEG_MARKER:
        if data[position + 1] == _JPEG_MARKER:
            position += 1
            continue
        if data[position + 1] in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, position + 5)
            return width, height
        position += 2 + max(2, struct.unpack_from(">H", data, position + 2)[0])
    return None


def _read_webp(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        return _three_bytes(data, 24) + 1, _three_bytes(data, 27) + 1
    if kind == b"VP8L":
        [bits] = struct.unpack_from("<I", data, 21)
        return (bits & _WEBP_BITS) + 1, (bits >> 14 & _WEBP_BITS) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & _WEBP_BITS, height & _WEBP_BITS
    return None


def _three_bytes(data: bytes, position: int) -> int:
    if len(data) < position + 3:
        raise IndexError(position)
    return int.from_bytes(data[position : position + 3], "little")
