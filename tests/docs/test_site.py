"""The static site of docs/: what `make docs` gives its generator."""

from release.site import DOCS, keep_links_inside, read_contents
from toolbuilder.help.pages import list_names


def test_contents_are_those_of_the_index() -> None:
    first, *groups = read_contents((DOCS / "index.md").read_text())

    assert first == {"Contents": "index.md"}
    assert [*groups[0]] == ["Using agents"]
    paths = [
        path for group in groups for rows in group.values() for row in rows for path in row.values()
    ]
    assert sorted(["index.md", *paths]) == sorted(f"{name}.md" for name in list_names())


def test_links_that_leave_the_folder_become_words() -> None:
    text = "[a](../README.md#start), [b](tools.md#limits), [c](reference/x.md), [d](https://example.org) [e](#here)"

    assert keep_links_inside(text, "clients.md") == text.replace("[a](../README.md#start)", "a")
    assert (
        keep_links_inside("[a](../tools.md) [b](../../x.py)", "reference/x.md")
        == "[a](../tools.md) b"
    )
