"""Sizes of images, from their first bytes."""

import struct

import pytest

from agents.data_search.image_size import read_image_size

_PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)
_GIF = b"GIF89a" + struct.pack("<HH", 640, 480)
_BMP = b"BM" + bytes(16) + struct.pack("<ii", 640, -480)
_APP0 = b"\xff\xe0" + struct.pack(">H", 4) + b"\xff\xc0"
_JPEG = b"\xff\xd8" + _APP0 + b"\xff\xff\xc2" + struct.pack(">HBHH", 17, 8, 480, 640)
_RIFF = b"RIFF\x00\x00\x00\x00WEBP"
_VP8X = _RIFF + b"VP8X" + bytes(8) + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")
_VP8L = _RIFF + b"VP8L" + bytes(4) + b"\x2f" + struct.pack("<I", 639 | 479 << 14)
_VP8 = _RIFF + b"VP8 " + bytes(10) + struct.pack("<HH", 640, 480)


@pytest.mark.parametrize(
    "data",
    [_PNG, _GIF, _BMP, _JPEG, _VP8X, _VP8L, _VP8],
    ids=["png", "gif", "bmp", "jpeg", "webp-extended", "webp-lossless", "webp-lossy"],
)
def test_size_is_read(data: bytes) -> None:
    assert read_image_size(data) == (640, 480)


@pytest.mark.parametrize("data", [_PNG, _GIF, _BMP, _JPEG, _VP8X, _VP8L, _VP8])
def test_cut_off_images_have_no_size(data: bytes) -> None:
    assert all(read_image_size(data[:length]) is None for length in range(len(data) - 3))
