"""The questions of an evaluation set in ADK's form, each with the SQL whose rows are the right answer."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

DEMO_SET: Final = Path(__file__).with_name("demo.evalset.json")
_SQL: Final = re.compile(r"```sql\n(.*?)\n?```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Case:
    """A question; `sql` gives the right rows, or `refusal` is the code of the answer without any."""

    id: str
    question: str
    sql: str = ""
    refusal: str = ""

    @property
    def language(self) -> str:
        return self.id.rpartition(".")[2]


def read_cases(path: Path = DEMO_SET) -> list[Case]:
    """The cases of a file. Raises ValueError for one that is no evaluation set of single questions."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return [_read_case(entry) for entry in document["eval_cases"]]
    except (OSError, KeyError, TypeError, IndexError, ValueError) as error:
        raise ValueError(f"{path.name} cannot be read as an evaluation set") from error


def find_sql(text: str) -> str:
    """The statement in an answer's fence, "" if it has none."""
    match = _SQL.search(text)
    return match[1].strip() if match else ""


def _read_case(entry: dict[str, Any]) -> Case:
    [turn] = entry["conversation"]
    question = turn["user_content"]["parts"][0]["text"]
    expected = turn["final_response"]["parts"][0]["text"]
    sql = find_sql(expected)
    return Case(entry["eval_id"], question, sql, "" if sql else expected.strip())
