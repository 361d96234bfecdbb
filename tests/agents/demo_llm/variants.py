"""The names the scripted model answers to; each but the first makes one mistake on purpose."""

from enum import StrEnum

MODEL_NAME = "toolbuilder-demo (scripted)"
NOTICE = "demo model: scripted answers, not a language model"


class Variant(StrEnum):
    """What `model` in a request may be."""

    PLAIN = MODEL_NAME
    MISSPELLS_FIRST = "demo-misspells-first"
    PROSE = "demo-prose"
    FENCED_NBSP = "demo-fenced-nbsp"
    EMPTY_COLUMNS = "demo-empty-columns"
    WRITES = "demo-writes"
    ASKS = "demo-asks"
    FORGETS_CONDITIONS = "demo-forgets-conditions"
    DROPS_NAMES = "demo-drops-names"
    SHOWS_EMAILS = "demo-shows-emails"
    CALLS_EARLIER_NAME = "demo-calls-earlier-name"
    SAYS_WRITE = "demo-says-write"
    NEVER_ANSWERS = "demo-never-answers"
