"""What a browser would post of a page's form that nobody has touched."""

from html.parser import HTMLParser


class FormReader(HTMLParser):
    """Collects the fields of the form with this id, in their order."""

    def __init__(self, form_id: str) -> None:
        super().__init__()
        self.fields: list[tuple[str, str]] = []
        self._form_id, self._is_inside = form_id, False
        # What is in a template is in no form.
        self._templates = 0
        self._select: str | None = None
        self._options: list[tuple[str, bool]] = []
        self._textarea: str | None = None
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._templates += tag == "template"
        if tag == "form":
            self._is_inside = given.get("id") == self._form_id
        is_ours = given["form"] == self._form_id if "form" in given else self._is_inside
        name = given.get("name")
        if tag == "option" and self._select:
            self._options.append((given.get("value") or "", "selected" in given))
        if not name or not is_ours or self._templates or "disabled" in given:
            return
        if tag == "input":
            self._add_input(name, given)
        elif tag == "select":
            self._select, self._options = name, []
        elif tag == "textarea":
            self._textarea, self._text = name, ""

    def _add_input(self, name: str, given: dict[str, str | None]) -> None:
        is_box = given.get("type") in {"checkbox", "radio"}
        if not is_box or "checked" in given:
            self.fields.append((name, given.get("value") or ""))

    def handle_data(self, data: str) -> None:
        if self._textarea:
            self._text += data

    def handle_endtag(self, tag: str) -> None:
        self._templates -= tag == "template"
        if tag == "form":
            self._is_inside = False
        if tag == "select" and self._select:
            chosen = [value for value, is_chosen in self._options if is_chosen]
            first = [value for value, _is_chosen in self._options[:1]]
            self.fields += [(self._select, value) for value in chosen or first]
            self._select = None
        if tag == "textarea" and self._textarea:
            # Browsers leave out a line end at the beginning, and send CR LF.
            text = self._text.removeprefix("\n").replace("\n", "\r\n")
            self.fields.append((self._textarea, text))
            self._textarea = None


def read_fields(html: str, form_id: str = "workbench") -> dict[str, list[str]]:
    """The fields of the form by name, as Django's test client posts them."""
    reader = FormReader(form_id)
    reader.feed(html)
    fields: dict[str, list[str]] = {}
    for name, value in reader.fields:
        fields.setdefault(name, []).append(value)
    return fields
