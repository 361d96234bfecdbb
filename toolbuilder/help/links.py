"""The one way to link to the documentation: tests prove that each page and heading that is named exists."""

from dataclasses import dataclass

from django.urls import reverse

INDEX = "index"


def help_url(page: str = INDEX, anchor: str = "") -> str:
    """The address of a page of docs/, named by its path without the ending, at a heading's anchor."""
    address = reverse("help") if page == INDEX else reverse("help-page", args=[page])
    return f"{address}#{anchor}" if anchor else address


@dataclass(frozen=True, slots=True)
class HelpTopic:
    """A heading of the documentation, where a table names it; '' is the page as a whole."""

    page: str
    anchor: str = ""

    @property
    def address(self) -> str:
        """Where it is shown."""
        return help_url(self.page, self.anchor)
