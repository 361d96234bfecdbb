"""`python -m agents.data_search.evaluation`: asks the model of the environment, and writes a report."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from agents.data_search.environment import PROJECT_ROOT, Environment, read_environment
from agents.data_search.evaluation.cases import DEMO_SET, Case, read_cases
from agents.data_search.evaluation.running import EvaluatedCase, evaluate, to_records, write_report
from agents.data_search.faults import SettingError

_REPORT = PROJECT_ROOT / ".data" / "agent" / "evaluation.md"


def main(arguments: Sequence[str]) -> int:
    """Run the command; 0 all right, 1 some not, 2 wrong environment or usage."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.data_search.evaluation",
        description="Asks the demo's questions, compares the rows with the right ones, writes a report.",
    )
    parser.add_argument("--set", type=Path, default=DEMO_SET, help="an evaluation set of ADK")
    parser.add_argument(
        "--report", type=Path, default=_REPORT, help="Markdown; JSON goes beside it"
    )
    parser.add_argument("--only", default="", help="cases whose id begins so or ends in .language")
    options = parser.parse_args(arguments)
    try:
        environment = read_environment(os.environ)
        cases = [
            case
            for case in read_cases(options.set)
            if case.id.startswith(options.only) or case.id.endswith(f".{options.only}")
        ]
        outcomes = asyncio.run(_run(environment, cases))
    except (SettingError, ValueError) as fault:
        sys.stderr.write(f"{fault}\n")
        return 2
    model = environment.llm_model or "recorded replies"
    options.report.parent.mkdir(parents=True, exist_ok=True)
    options.report.write_text(write_report(outcomes, model), encoding="utf-8")
    records = json.dumps(to_records(outcomes), ensure_ascii=False, indent=1)
    options.report.with_suffix(".json").write_text(f"{records}\n", encoding="utf-8")
    right = sum(outcome.is_right for outcome in outcomes)
    sys.stdout.write(f"{right} of {len(outcomes)} right; report: {options.report}\n")
    return int(right < len(outcomes))


async def _run(environment: Environment, cases: Sequence[Case]) -> list[EvaluatedCase]:
    outcomes: list[EvaluatedCase] = []
    async for outcome in evaluate(environment, cases):
        sys.stderr.write(f"{outcome.verdict}: {outcome.id} ({outcome.seconds} s)\n")
        sys.stderr.flush()
        outcomes.append(outcome)
    return outcomes


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
