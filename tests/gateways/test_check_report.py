"""Findings: an English sentence that can also be said in another language."""

import pytest

from core.messages import counted
from gateways.check_report import Level, list_names, ok, warning


def test_text_is_the_template_with_its_values() -> None:
    finding = ok("connected", "Connected to {database} as {role}.", database="shop", role="{role}")

    assert finding.text == "Connected to shop as {role}."
    assert (finding.level, finding.code) == (Level.OK, "connected")


@pytest.mark.parametrize(
    ("count", "text"),
    [
        pytest.param(0, "0 tables.", id="none"),
        pytest.param(1, "1 table.", id="one"),
        pytest.param(2_000, "2,000 tables.", id="many"),
    ],
)
def test_count_chooses_the_template(count: int, text: str) -> None:
    assert warning("tables", counted("1 table.", "{count} tables."), count=count).text == text


@pytest.mark.parametrize(
    ("count", "shown"),
    [pytest.param(2, "a, b", id="all"), pytest.param(9, "a, b, …", id="some")],
)
def test_names_that_are_left_out_are_hinted_at(count: int, shown: str) -> None:
    assert list_names(["a", "b"], count) == shown
