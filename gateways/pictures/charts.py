"""Charts as PNG for agents that take images: the same marks as the browser's chart, in its light colours."""

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from io import BytesIO
from math import ceil, floor, log10
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from core.pictures import GROUPS_SHOWN, PICTURE_HEIGHT, PICTURE_WIDTH, Picture, Point

# Drawn larger and made smaller, so that lines are smooth.
_SCALE = 2
_COLOURS = ("#1f5fd6", "#0b8577", "#7c56c8", "#8b8b86")
_TEXT, _LINE, _GROUND = "#5f5f5a", "#e4e4e0", "#ffffff"
_LEFT, _TOP, _RIGHT, _BOTTOM = 62, 34, 16, 34
_LABEL_CHARACTERS, _LABEL_GAP = 14, 30
_TEXT_SIZE = 11
_LATIN = Path(__file__).parents[2] / "static" / "web" / "fonts" / "inter-latin.woff2"
# Where systems keep fonts that have Korean, Japanese and Chinese letters.
_FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/System/Library/Fonts",
    "C:/Windows/Fonts",
)
_WIDE_NAMES = (
    *("NotoSansCJK-Regular.ttc", "NotoSansCJKkr-Regular.otf", "NotoSansKR-Regular.otf"),
    *("NanumGothic.ttf", "AppleSDGothicNeo.ttc", "malgun.ttf", "DejaVuSans.ttf"),
)

_Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
_Place = Callable[[float], float]


def draw_chart(picture: Picture) -> bytes:
    """The picture as PNG, `PICTURE_WIDTH` by `PICTURE_HEIGHT`."""
    image = Image.new("RGB", (PICTURE_WIDTH * _SCALE, PICTURE_HEIGHT * _SCALE), _GROUND)
    canvas = _Canvas(ImageDraw.Draw(image))
    heights = [point.y for point in picture.points]
    low, high = min(0.0, *heights), max(0.0, *heights)
    if picture.kind == "scatter":
        low, high = min(heights), max(heights)
    ticks = choose_ticks(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])
    first, last = picture.points[0].x, picture.points[-1].x
    margin = 0.6 if picture.kind == "bar" else (last - first) * 0.02 or 1.0
    to_x = _scale(first - margin, last + margin, _LEFT, PICTURE_WIDTH - _RIGHT)
    to_y = _scale(low, high, PICTURE_HEIGHT - _BOTTOM, _TOP)
    for tick in ticks:
        canvas.line([(_LEFT, to_y(tick)), (PICTURE_WIDTH - _RIGHT, to_y(tick))], _LINE, 1)
        canvas.text(_LEFT - 6, to_y(tick), format_compact(tick), "rm")
    canvas.text(_LEFT, 16, f"{picture.height} / {picture.across}", "lm")
    if len(picture.points) < picture.total:
        shown = f"{len(picture.points)} / {picture.total}"
        canvas.text(PICTURE_WIDTH - _RIGHT, PICTURE_HEIGHT - 8, shown, "rm")
    _draw_marks(canvas, picture, to_x, to_y)
    _draw_places(canvas, picture, to_x)
    _draw_legend(canvas, picture.groups)
    small = image.resize((PICTURE_WIDTH, PICTURE_HEIGHT), Image.Resampling.LANCZOS)
    # Few colours: a palette takes a third of the bytes.
    stored = BytesIO()
    small.quantize(128).save(stored, "PNG", optimize=True)
    return stored.getvalue()


def choose_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers over the range, about so many: 1, 2 or 5 times a power of ten apart."""
    span = (high - low) or abs(high) or 1.0
    power = 10.0 ** floor(log10(span / count))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= count)
    begin, end = floor(low / step), max(ceil(high / step), floor(low / step) + 1)
    return [number * step for number in range(begin, end + 1)]


def format_compact(number: float) -> str:
    """The number in few characters, as 1.5K and 27M."""
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
        if abs(number) >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"


class _Canvas:
    """Draws in pixels of the finished picture."""

    def __init__(self, draw: ImageDraw.ImageDraw) -> None:
        self._draw = draw

    def line(self, points: Sequence[tuple[float, float]], colour: str, width: float) -> None:
        scaled = [(x * _SCALE, y * _SCALE) for x, y in points]
        self._draw.line(scaled, fill=colour, width=round(width * _SCALE), joint="curve")

    def box(self, corner: tuple[float, float], other: tuple[float, float], colour: str) -> None:
        """A filled box between these corners, of which the first is the left one."""
        (left, top), (right, bottom) = corner, other
        box = [side * _SCALE for side in (left, min(top, bottom), right, max(top, bottom))]
        self._draw.rectangle(box, fill=colour)

    def dot(self, x: float, y: float, radius: float, colour: str) -> None:
        box = [side * _SCALE for side in (x - radius, y - radius, x + radius, y + radius)]
        self._draw.ellipse(box, fill=colour)

    def text(self, x: float, y: float, text: str, anchor: str) -> float:
        """The right end of the text, about; letters for which no font is there are left out."""
        font = _find_font(_needs_wide(text))
        if font is None:
            text = "".join(letter for letter in text if not _needs_wide(letter))
            font = _find_font(is_wide=False)
        assert font is not None  # noqa: S101 - Pillow brings one of its own
        half = font.getlength(text) / _SCALE / 2
        if anchor == "mm":
            x = min(max(x, half + 2), PICTURE_WIDTH - half - 2)
        self._draw.text((x * _SCALE, y * _SCALE), text, fill=_TEXT, font=font, anchor=anchor)
        return x + half if anchor == "mm" else x + 2 * half


def _draw_marks(canvas: _Canvas, picture: Picture, to_x: _Place, to_y: _Place) -> None:
    """Bars, dots, or a line for each group."""
    of_group: dict[int, list[Point]] = {}
    for point in picture.points:
        of_group.setdefault(point.group, []).append(point)
    width = min(60.0, 0.7 * (to_x(1) - to_x(0)))
    for group, points in of_group.items():
        colour = _COLOURS[group]
        places = [(to_x(point.x), to_y(point.y)) for point in points]
        if picture.kind == "bar":
            for x, y in places:
                canvas.box((x - width / 2, y), (x + width / 2, to_y(0)), colour)
        elif picture.kind == "line" and len(places) > 1:
            canvas.line(places, colour, 1.8)
        else:
            for x, y in places:
                canvas.dot(x, y, 3, colour)


def _draw_places(canvas: _Canvas, picture: Picture, to_x: _Place) -> None:
    """Labels of points, or round numbers or dates of the scale, below."""
    y, points = PICTURE_HEIGHT - _BOTTOM + 12, picture.points
    if picture.has_labels or picture.is_time:
        end = float("-inf")
        for point in points:
            if to_x(point.x) - end > _LABEL_GAP:
                end = canvas.text(to_x(point.x), y, _clip(point.label), "mm")
        return
    for tick in choose_ticks(points[0].x, points[-1].x):
        if _LEFT <= to_x(tick) <= PICTURE_WIDTH - _RIGHT:
            canvas.text(to_x(tick), y, format_compact(tick), "mm")


def _draw_legend(canvas: _Canvas, groups: Sequence[str]) -> None:
    if len(groups) < 2:
        return
    x = PICTURE_WIDTH / 2
    for place, name in enumerate(groups):
        canvas.box((x, 11), (x + 10, 21), _COLOURS[place])
        is_rest = place == GROUPS_SHOWN - 1
        x = canvas.text(x + 14, 16, "…" if is_rest else _clip(name), "lm") + 12


def _scale(low: float, high: float, begin: float, end: float) -> _Place:
    return lambda value: begin + (value - low) / ((high - low) or 1.0) * (end - begin)


def _clip(text: str) -> str:
    return text if len(text) <= _LABEL_CHARACTERS else f"{text[: _LABEL_CHARACTERS - 1]}…"


def _needs_wide(text: str) -> bool:
    """Whether a letter is none that the product's own font has."""
    return any(ord(letter) > 0x24F and unicodedata.category(letter)[0] == "L" for letter in text)


@cache
def _find_font(is_wide: bool) -> _Font | None:
    """The product's font, or one of the system that has more letters; None where that is missing."""
    if not is_wide:
        size = _TEXT_SIZE * _SCALE
        return ImageFont.truetype(_LATIN, size) if _LATIN.exists() else ImageFont.load_default(size)
    found = {path.name: path for folder in _FOLDERS for path in Path(folder).rglob("*.[to]t[cf]")}
    path = next((found[name] for name in _WIDE_NAMES if name in found), None)
    return ImageFont.truetype(path, _TEXT_SIZE * _SCALE) if path else None
