"""Charts as PNG."""

from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from core.pictures import PICTURE_HEIGHT, PICTURE_WIDTH, Picture, Point
from gateways.pictures.charts import choose_ticks, draw_chart, format_compact


def picture(**fields: Any) -> Picture:
    given: dict[str, Any] = {
        "kind": "bar",
        "across": "city",
        "height": "n",
        "points": (Point(0, 3, "서울"), Point(1, -2, "東京"), Point(2, 5, "Busan", 3)),
        "groups": ("a", "b", "c", "d"),
        "total": 312,
        "has_labels": True,
        "is_time": False,
    }
    return Picture(**given | fields)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({}, id="bars"),
        pytest.param({"kind": "line"}, id="line"),
        pytest.param({"kind": "scatter", "has_labels": False}, id="points"),
        pytest.param({"kind": "line", "has_labels": False, "is_time": True}, id="times"),
        pytest.param({"points": (Point(0, 0, ""),)}, id="one of nothing"),
        pytest.param(
            {"kind": "scatter", "points": (Point(4, 4, ""),), "has_labels": False}, id="one point"
        ),
    ],
)
def test_chart_is_a_small_png(fields: dict[str, Any]) -> None:
    png = draw_chart(picture(**fields))

    image = Image.open(BytesIO(png))
    assert (image.format, image.size) == ("PNG", (PICTURE_WIDTH, PICTURE_HEIGHT))
    assert len(png) < 40_000
    assert len(image.convert("RGB").getcolors(1 << 20) or ()) > 3


def test_bar_stands_where_its_number_is() -> None:
    points = (Point(0, 10, "a"), Point(1, 5, "b"))

    drawn = picture(points=points, groups=("",), total=2)
    image = Image.open(BytesIO(draw_chart(drawn))).convert("RGB")

    blue = []
    for x in (205, 480):
        column = image.crop((x, 0, x + 1, PICTURE_HEIGHT)).tobytes()
        pixels = zip(column[0::3], column[2::3], strict=True)
        blue.append(sum(b > 150 and r < 90 for r, b in pixels))
    assert blue[0] == pytest.approx(2 * blue[1], abs=3)


def test_ticks_are_round_and_cover_the_range() -> None:
    assert choose_ticks(0, 27_046_991) == [0, 1e7, 2e7, 3e7]
    assert choose_ticks(3, 3) == pytest.approx([3, 4])
    assert [format_compact(number) for number in (27e6, 1_500, 0.25, -2e9)] == [
        "27M",
        "1.5K",
        "0.25",
        "-2B",
    ]
