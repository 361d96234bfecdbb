"""The embedding client on the real model: order, roles, languages, length, agreement."""

import math
import unicodedata
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from config.services.embeddings import EmbeddedEmbeddings
from gateways.embeddings.client import EmbeddingClient, EmbeddingSettings, TextRole


def similarity(one: list[float], other: list[float]) -> float:
    products = sum(a * b for a, b in zip(one, other, strict=True))
    return products / math.sqrt(sum(a * a for a in one) * sum(b * b for b in other))


@pytest_asyncio.fixture
async def client(embedded_model: EmbeddedEmbeddings) -> AsyncIterator[EmbeddingClient]:
    client = EmbeddingClient(
        EmbeddingSettings(
            url=embedded_model.url,
            model=embedded_model.model,
            role_style="input_type",
            timeout_s=30.0,
        )
    )
    yield client
    await client.close()


async def test_texts_become_unit_vectors_of_one_dimension(client: EmbeddingClient) -> None:
    result = await client.embed(["사용자 이름을 조회해줘", "최근 주문 내역"], TextRole.QUERY)

    assert result.dimension == 384
    assert [len(vector) for vector in result.vectors] == [384, 384]
    assert [sum(n * n for n in vector) for vector in result.vectors] == pytest.approx([1, 1], 1e-3)
    assert result.truncated == ()


async def test_order_is_kept_over_several_requests(client: EmbeddingClient) -> None:
    texts = [f"column {number}" for number in range(100)]

    together = await client.embed(texts, TextRole.PASSAGE)

    alone = [await client.embed([texts[index]], TextRole.PASSAGE) for index in (0, 31, 32, 99)]
    for index, single in zip((0, 31, 32, 99), alone, strict=True):
        assert together.vectors[index] == pytest.approx(single.vectors[0], abs=1e-6)
    assert len(together.vectors) == 100


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("사용자 이메일 주소", "users.email: 사용자의 이메일", "stores.region: 매장 지역"),
        ("店舗の開店日", "stores.opened_at: 店舗が開店した日", "users.email: メールアドレス"),
        ("price of a product", "products.unit_price: unit price", "users.email: email address"),
    ],
    ids=["korean", "japanese", "english"],
)
async def test_what_means_the_same_is_nearer(
    client: EmbeddingClient, question: str, right: str, wrong: str
) -> None:
    asked = (await client.embed([question], TextRole.QUERY)).vectors[0]

    near, far = (await client.embed([right, wrong], TextRole.PASSAGE)).vectors

    assert similarity(asked, near) > similarity(asked, far)


async def test_roles_give_different_vectors(client: EmbeddingClient) -> None:
    as_query = await client.embed(["email"], TextRole.QUERY)
    as_passage = await client.embed(["email"], TextRole.PASSAGE)

    assert as_query.vectors != as_passage.vectors


async def test_beginning_of_a_long_text_is_embedded_and_its_index_told(
    client: EmbeddingClient,
) -> None:
    long = "매출 데이터 " * 15_000

    result = await client.embed(["short", long], TextRole.PASSAGE)

    beginning = await client.embed([long[:1_000]], TextRole.PASSAGE)
    assert result.truncated == (1,)
    assert result.vectors[1] == pytest.approx(beginning.vectors[0], abs=1e-6)


@pytest.mark.parametrize(
    "variant",
    [
        unicodedata.normalize("NFD", "사용자 이메일"),
        "  사용자 이메일\n",
        "사용자\0이메일",
    ],
    ids=["decomposed", "padded", "nul"],
)
async def test_text_that_looks_the_same_has_the_same_vector(
    client: EmbeddingClient, variant: str
) -> None:
    plain, same = (await client.embed(["사용자 이메일", variant], TextRole.QUERY)).vectors

    assert same == pytest.approx(plain, abs=1e-6)


async def test_broken_characters_are_embedded_as_replacements(client: EmbeddingClient) -> None:
    result = await client.embed(["half \ud83d emoji"], TextRole.QUERY)

    assert len(result.vectors) == 1


async def test_official_client_gives_the_same_vector(
    client: EmbeddingClient, embedded_model: EmbeddedEmbeddings
) -> None:
    # A second of imports, which no other test needs.
    from openai import AsyncOpenAI

    text = "사용자 이메일 주소"
    async with AsyncOpenAI(
        base_url=embedded_model.url.removesuffix("/embeddings"), api_key="none"
    ) as official:
        answer = await official.embeddings.create(
            model=embedded_model.model, input=[text], extra_body={"input_type": "passage"}
        )

    ours = (await client.embed([text], TextRole.PASSAGE)).vectors[0]

    assert ours == pytest.approx(answer.data[0].embedding, abs=1e-6)
