"""The form of a data source."""

import pytest

from catalog.sources.forms import DataSourceForm
from tests.catalog.sources.pages import form


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("engine", "given", "port"),
    [("postgresql", "", 5432), ("mysql", "", 3306), ("mysql", "3307", 3307)],
)
def test_port_that_is_left_out_is_the_usual_one(engine: str, given: str, port: int) -> None:
    # Without a database it is refused, before anything is asked.
    posted = DataSourceForm(form(engine=engine, port=given, host="db"))

    posted.is_valid()

    assert posted.cleaned_data["port"] == port
    assert DataSourceForm().initial["port"] is None
