"""Record the demo's questions: `.venv-agent/bin/python -m tests.agents.e2e.record`.

The scripted model answers each by way of a real server; its replies go to agents/data_search/recorded/.
Run it again when a stage of the pipeline or the demo's data changes.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from google.adk.events import Event

from agents.data_search.environment import Environment
from agents.data_search.recordings import FOLDER
from tests.agents.conftest import serve_installation
from tests.agents.demo_llm.serving import demo_model
from tests.agents.demo_llm.variants import MODEL_NAME
from tests.agents.e2e.runs import open_session, text_of

Reply = dict[str, Any]

QUESTIONS = {
    "average_price_by_category": {
        "ko": "카테고리별 평균 가격",
        "ja": "カテゴリ別の平均価格",
        "en": "Average price by category",
    },
    "dearest_products": {
        "ko": "가장 비싼 상품 5개",
        "ja": "最も高価な商品5個",
        "en": "Top 5 most expensive products",
    },
    "orders_by_status": {
        "ko": "상태별 주문 건수를 알려줘",
        "ja": "ステータス別の注文件数を教えて",
        "en": "How many orders are in each status?",
    },
    "sales_by_region": {
        "ko": "2024년 1월 이후 지역별 매출 합계를 보여줘",
        "ja": "2024年1月以降の地域別の売上合計を見せて",
        "en": "Show total sales by region since January 2024",
    },
    "sales_by_store": {
        "ko": "2025년 1월 이후 매장별 매출 합계를 알려줘",
        "ja": "2025年1月以降の店舗別の売上合計を教えて",
        "en": "Total sales by store since January 2025",
    },
}


async def record(environment: Environment, question: str) -> dict[str, list[Reply]]:
    """The replies by agent. Raises ValueError for a question without an answer, or with a second round."""
    async with open_session(environment, is_direct=False) as session:
        outcome = await session.ask(question)
    sys.stdout.write(f"{question}\n{outcome.text}\n\n")
    replies: dict[str, list[Reply]] = {}
    for event in outcome.events:
        if event.author != "answer" and (reply := read_reply(event)):
            replies.setdefault(event.author, []).append(reply)
    rounds = max(sum("text" in reply for reply in own) for own in replies.values())
    if not outcome.result or rounds > 1:
        raise ValueError(f"cannot be recorded: {question}")
    return replies


def read_reply(event: Event) -> Reply | None:
    """A model's reply in the form of the files; None for an event of another kind."""
    if calls := event.get_function_calls():
        return {"tool": calls[0].name, "arguments": calls[0].args}
    text = text_of(event)
    return {"text": text} if text else None


def write_topic(path: Path, topic: dict[str, dict[str, list[Reply]]]) -> None:
    """Write JSON with a line for each agent; `topic` holds the replies by language."""
    recordings = []
    for language, replies in topic.items():
        question = json.dumps(QUESTIONS[path.stem][language], ensure_ascii=False)
        lines = ",\n".join(
            f'      "{agent}": {json.dumps(own, ensure_ascii=False)}'
            for agent, own in replies.items()
        )
        recordings.append(
            f'  "{language}": {{\n    "question": {question},\n    "replies": {{\n{lines}\n    }}\n  }}'
        )
    path.write_text("{\n" + ",\n".join(recordings) + "\n}\n", encoding="utf-8")


async def main() -> None:
    """Record them all."""
    FOLDER.mkdir(exist_ok=True)
    with (
        serve_installation() as installation,
        demo_model() as model_url,
        tempfile.TemporaryDirectory() as folder,
    ):
        environment = Environment(
            mcp_url=installation.mcp,
            mcp_api_key=installation.api_key,
            llm_base_url=model_url,
            llm_model=MODEL_NAME,
            artifacts_dir=Path(folder),
        )
        for name, questions in QUESTIONS.items():
            topic = {
                language: await record(environment, question)
                for language, question in questions.items()
            }
            write_topic(FOLDER / f"{name}.json", topic)


if __name__ == "__main__":
    asyncio.run(main())
