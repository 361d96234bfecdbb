"""The stand-in for the embedding model: what it answers, what it finds, when `up` starts it."""

import math
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from config.services.embedded import Embedded, EmbeddedBuilder
from config.services.embeddings import EmbeddedEmbeddings, EmbeddedNgrams
from config.services.ngram_server import embed_by_ngrams
from config.services.options import Options
from config.services.state import DataDirectory
from gateways.embeddings.client import EmbeddingClient, EmbeddingSettings, TextRole

DOCUMENTS = [
    "table: users, column: email, description: 사용자 이메일 주소",
    "table: orders, column: order_date, description: 주문 일시",
    "table: stores, column: opened_at, description: 매장 개점일 開店日",
    "table: products, column: unit_price, description: 상품 단가 単価",
]

EXPECTED_BUCKETS = [69, 164, 196, 240, 308, 418]
EXPECTED_NUMBERS = [0.2678, -0.1607, 0.2678, -0.1607, 0.1607, -0.2678]


@pytest_asyncio.fixture
async def client(ngram_model: EmbeddedEmbeddings) -> AsyncIterator[EmbeddingClient]:
    settings = EmbeddingSettings(url=ngram_model.url, model=ngram_model.model, timeout_s=60)
    client = EmbeddingClient(settings)
    yield client
    await client.close()


async def test_client_gets_unit_vectors(client: EmbeddingClient) -> None:
    result = await client.embed(["사용자 이름", "店舗", "price"], TextRole.QUERY)

    assert result.dimension == 1_024
    for vector in result.vectors:
        assert math.sqrt(sum(n * n for n in vector)) == pytest.approx(1, abs=1e-6)


async def test_official_client_reads_the_same_vector(
    client: EmbeddingClient, ngram_model: EmbeddedEmbeddings
) -> None:
    # A second of imports, which no other test needs.
    from openai import AsyncOpenAI

    base_url = ngram_model.url.removesuffix("/embeddings")
    async with AsyncOpenAI(base_url=base_url, api_key="none") as official:
        answer = await official.embeddings.create(model=ngram_model.model, input="주문 내역")

    ours = (await client.embed(["주문 내역"], TextRole.QUERY)).vectors[0]

    assert ours == pytest.approx(answer.data[0].embedding, abs=1e-6)


@pytest.mark.parametrize(
    ("question", "index"),
    [
        ("사용자의 이메일", 0),
        ("주문한 날짜", 1),
        ("店舗の開店日", 2),
        ("unit price of products", 3),
    ],
    ids=["korean", "korean-particle", "japanese", "english"],
)
def test_text_in_the_same_words_is_nearest(question: str, index: int) -> None:
    asked = embed_by_ngrams(question)

    scores = [float(embed_by_ngrams(document) @ asked) for document in DOCUMENTS]

    assert scores.index(max(scores)) == index


def test_vector_is_the_same_on_every_machine() -> None:
    vector = embed_by_ngrams("매출 sales")

    assert [int(n) for n in vector.nonzero()[0][:6]] == EXPECTED_BUCKETS
    assert [round(float(n), 4) for n in vector[EXPECTED_BUCKETS]] == EXPECTED_NUMBERS


@pytest.mark.parametrize(
    "variant", ["ＳＡＬＥＳ", " sales ", "sales"], ids=["wide", "padded", "same"]
)
def test_spellings_of_one_text_are_one_vector(variant: str) -> None:
    assert embed_by_ngrams(variant).tolist() == embed_by_ngrams("Sales").tolist()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{", "the request must be a JSON object"),
        ('{"input": [1]}', "input must be a text or a list of texts"),
        ('{"input": []}', "input must have 1 to 2048 texts, none of them empty"),
        ('{"input": ["a", " "]}', "input must have 1 to 2048 texts, none of them empty"),
        ("x" * 9_000_000, "the request must have at most 8388608 bytes"),
    ],
    ids=["json", "tokens", "no-texts", "empty", "large"],
)
async def test_request_that_is_none_is_refused(
    ngram_model: EmbeddedEmbeddings, body: str, said: str
) -> None:
    async with httpx.AsyncClient(trust_env=False) as http:
        answer = await http.post(ngram_model.url, content=body)

    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == said


async def test_server_names_its_model_and_warns_in_its_log(ngram_model: EmbeddedEmbeddings) -> None:
    async with httpx.AsyncClient(trust_env=False) as http:
        models = await http.get(ngram_model.url.replace("embeddings", "models"))

    assert [model["id"] for model in models.json()["data"]] == ["character-ngrams-1024"]
    assert ngram_model.log is not None
    assert "WARNING" in ngram_model.log.read_text()
    assert "know neither meanings nor translations" in ngram_model.log.read_text()


def build(data_dir: Path, outside: dict[str, str], *, has_model: bool) -> Embedded:
    directory = DataDirectory(data_dir)
    directory.create()
    others = {
        "DATABASE_URL": "x",
        "POSTGRESQL_DB_HOST": "x",
        "REDIS_URL": "x",
        "CHROMADB_HOST": "x",
    }
    options = Options(data_dir, outside=others | outside)
    secrets, ports = directory.load_secrets(), directory.load_ports()
    return EmbeddedBuilder(options, directory, secrets, ports, has_model=has_model).build()


def test_up_starts_the_model_where_its_wheel_exists(data_dir: Path) -> None:
    built = build(data_dir, {}, has_model=True)

    assert [service.name for service in built.services] == ["embeddings"]
    assert built.notices == []
    assert built.variables == EmbeddedEmbeddings(built.ports["embeddings"]).variables
    assert built.variables["TEXT_EMBEDDING_ROLE_STYLE"] == "input_type"


def test_up_starts_the_stand_in_elsewhere_and_says_so(data_dir: Path) -> None:
    built = build(data_dir, {}, has_model=False)

    assert [service.name for service in built.services] == ["embeddings"]
    assert built.variables == EmbeddedNgrams(built.ports["embeddings"]).variables
    assert built.variables["TEXT_EMBEDDING_MODEL_NAME"] == "character-ngrams-1024"
    (notice,) = built.notices
    assert notice.startswith("there is no embedded embedding model for this system;")


@pytest.mark.parametrize("has_model", [True, False], ids=["wheel", "no-wheel"])
def test_up_starts_neither_with_an_own_server(data_dir: Path, has_model: bool) -> None:
    own = {"TEXT_EMBEDDING_MODEL_URL": "http://10.0.0.1/v1"}

    built = build(data_dir, own, has_model=has_model)

    assert (built.services, built.variables, built.notices) == ([], {}, [])
