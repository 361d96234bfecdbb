"""`get_text_embedding`, `search_similar_documents` and `get_sql_reference_documents`."""

from collections.abc import Mapping
from typing import Any

from core.arguments import input_schema
from core.execution import QuerySources
from core.grants import BuiltinGroup
from core.results import Answer
from core.toolspec import ParameterSpec, ParameterType, Presence
from gateways.embeddings.settings import SLOWEST_CHARACTERS_PER_S
from tools.builtin.documents import DocumentSearch
from tools.builtin.tool import (
    BuiltinSpec,
    BuiltinTool,
    EmbeddableTexts,
    json_answer,
    object_schema,
)

MAX_TEXTS = 128
MAX_QUERIES = 32
MAX_RESULTS = 100
# Many long texts take their time on a small machine; a server that is down is reported much sooner.
EMBEDDING_TIMEOUT_MS = 60_000
# Of all texts of a call: what the slowest server embeds in this time.
MAX_CHARACTERS = EMBEDDING_TIMEOUT_MS // 1_000 * SLOWEST_CHARACTERS_PER_S

EMBEDDING = BuiltinSpec(
    name="get_text_embedding",
    group=BuiltinGroup.EMBEDDINGS,
    title="Embed texts",
    description="""\
Turns texts into embedding vectors (lists of floats), one per text in the same order, for vector similarity search.
Use it when you need the vectors themselves. To find documents, call search_similar_documents, which embeds by itself.
한국어: 텍스트 리스트를 벡터 임베딩으로 변환합니다. 벡터 유사도 검색의 전처리 단계에서 사용합니다.
日本語: テキストのリストを埋め込みベクトルに変換します。ベクトル類似度検索の前処理に使います。""",
    timeout_ms=EMBEDDING_TIMEOUT_MS,
    tags=("embedding", "search"),
)
SIMILARITY = BuiltinSpec(
    name="search_similar_documents",
    group=BuiltinGroup.EMBEDDINGS,
    title="Search similar documents",
    description="""\
Finds stored documents whose meaning is nearest to each query: descriptions of database columns, metadata, \
example queries. Returns one list of texts per query, most similar first.
Use it to look up columns or terms, several at once, in any language. For one whole question about the data, \
call get_sql_reference_documents.
한국어: 벡터 데이터베이스에서 쿼리와 의미가 비슷한 문서(칼럼 설명, 메타데이터)를 유사도 순으로 검색합니다.
日本語: ベクトルデータベースから、クエリと意味の近い文書(カラムの説明、メタデータ)を類似度の高い順に検索します。""",
    timeout_ms=EMBEDDING_TIMEOUT_MS,
    tags=("search",),
)
REFERENCES = BuiltinSpec(
    name="get_sql_reference_documents",
    group=BuiltinGroup.EMBEDDINGS,
    title="Get reference documents for SQL",
    description="""\
Finds what is needed to write SQL for a question: tables, columns with types and descriptions, and example queries, \
most relevant first.
Call it with the user's question as it was asked, before writing SQL, and use only tables and columns that it returns. \
`degraded` true says that the search was by words alone, so look at the results with more care.
한국어: 사용자의 자연어 질의에 맞는 SQL을 작성하는 데 필요한 참조 문서(테이블, 칼럼 설명, 예제 쿼리)를 검색합니다.
日本語: ユーザーの自然言語の質問から SQL を書くために必要な参照文書(テーブル、カラムの説明、クエリの例)を検索します。""",
    tags=("search", "sql"),
)


def _count_of_results(default: int) -> ParameterSpec:
    return ParameterSpec(
        name="n_results",
        type=ParameterType.INTEGER,
        description="How many documents to return for each query at most.",
        presence=Presence.OPTIONAL_DEFAULT,
        default=default,
        minimum=1,
        maximum=MAX_RESULTS,
    )


_EMBEDDED = (
    ParameterSpec(
        name="text_list",
        type=ParameterType.STRING_LIST,
        description=(
            f"The texts to embed, at most {MAX_TEXTS} of {MAX_CHARACTERS:,} characters together,"
            " none of them blank."
        ),
        example=["사용자 이름을 조회해줘", "최근 주문 내역"],
    ),
)
_SEARCHED = (
    ParameterSpec(
        name="query_list",
        type=ParameterType.STRING_LIST,
        description=(
            f"The texts to search for, at most {MAX_QUERIES} of {MAX_CHARACTERS:,} characters"
            " together, none of them blank."
        ),
        example=["사용자 테이블의 이메일 칼럼"],
    ),
    _count_of_results(3),
)
_QUESTION = (
    ParameterSpec(
        name="user_query",
        type=ParameterType.STRING,
        description="The user's question in natural language, as it was asked.",
        example="2024년 1월 이후 가입한 사용자의 이메일 주소를 알려줘",
    ),
    _count_of_results(15),
)
_TEXTS = {"type": "array", "items": {"type": "string"}}
_VECTORS = {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}
_DEGRADED = {"type": "boolean", "description": "Found by words alone, not by meaning."}


def embedding_tools(search: DocumentSearch) -> list[BuiltinTool]:
    """The three tools that embed texts, all by the same code."""

    async def embed(values: Mapping[str, Any], _sources: QuerySources) -> Answer:
        embeddings = await search.embed(values["text_list"])
        structured: dict[str, Any] = {"embeddings": embeddings.vectors}
        if embeddings.truncated:
            structured["notes"] = [
                f"text_list[{index}] is too long; only its beginning was embedded"
                for index in embeddings.truncated
            ]
        return json_answer(structured, row_count=len(embeddings.vectors))

    async def find_similar(values: Mapping[str, Any], _sources: QuerySources) -> Answer:
        found = await search.find(values["query_list"], values["n_results"])
        return json_answer({"documents": found}, row_count=sum(map(len, found)))

    async def find_references(values: Mapping[str, Any], _sources: QuerySources) -> Answer:
        found, is_degraded = await search.find_or_degrade(values["user_query"], values["n_results"])
        degraded = {"degraded": True} if is_degraded else {}
        return json_answer({"reference_docs": found, **degraded}, row_count=len(found))

    return [
        BuiltinTool(
            spec=EMBEDDING,
            input_schema=input_schema(_EMBEDDED),
            output_schema=object_schema({"embeddings": _VECTORS}, {"notes": _TEXTS}),
            check=EmbeddableTexts(EMBEDDING.name, _EMBEDDED, MAX_TEXTS, MAX_CHARACTERS),
            execute=embed,
        ),
        BuiltinTool(
            spec=SIMILARITY,
            input_schema=input_schema(_SEARCHED),
            output_schema=object_schema({"documents": {"type": "array", "items": _TEXTS}}),
            check=EmbeddableTexts(SIMILARITY.name, _SEARCHED, MAX_QUERIES, MAX_CHARACTERS),
            execute=find_similar,
        ),
        BuiltinTool(
            spec=REFERENCES,
            input_schema=input_schema(_QUESTION),
            output_schema=object_schema({"reference_docs": _TEXTS}, {"degraded": _DEGRADED}),
            check=EmbeddableTexts(REFERENCES.name, _QUESTION),
            execute=find_references,
        ),
    ]
