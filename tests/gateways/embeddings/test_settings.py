"""Addresses as people write them, role styles by model, and what cannot be a setting."""

from dataclasses import replace
from typing import Any

import pytest

from core.errors import ConfigurationError
from gateways.embeddings.client import EmbeddingSettings

SETTINGS = EmbeddingSettings(url="http://host:8080", model="bge-m3-ko")


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://host:8080", "http://host:8080/v1/embeddings"),
        ("http://host:8080/", "http://host:8080/v1/embeddings"),
        ("https://host/v1", "https://host/v1/embeddings"),
        ("https://host/v1/", "https://host/v1/embeddings"),
        ("https://host/api/v3", "https://host/api/v3/embeddings"),
        ("https://host/v1/embeddings", "https://host/v1/embeddings"),
        (" https://host/v1/embeddings/ ", "https://host/v1/embeddings"),
        ("https://host/proxy", "https://host/proxy/v1/embeddings"),
        ("https://host/a/embeddings?api-version=1", "https://host/a/embeddings?api-version=1"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1/embeddings"),
    ],
)
def test_address_is_completed(given: str, used: str) -> None:
    assert replace(SETTINGS, url=given).url == used


@pytest.mark.parametrize("url", ["host:8080", "ftp://host", "http://", "http://h:x"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="TEXT_EMBEDDING_MODEL_URL must be the http://"):
        replace(SETTINGS, url=url)


@pytest.mark.parametrize(
    ("model", "style"),
    [
        ("intfloat/multilingual-e5-small", "prefix"),
        ("e5-base-v2", "prefix"),
        ("multilingual-E5-large", "prefix"),
        ("intfloat/multilingual-e5-large-instruct", "none"),
        ("bge-m3-ko", "none"),
        ("text-embedding-3-small", "none"),
        ("model-e50", "none"),
    ],
)
def test_role_style_follows_the_name_of_the_model(model: str, style: str) -> None:
    assert EmbeddingSettings(url="", model=model).role_style == style


def test_role_style_that_is_set_wins() -> None:
    settings = EmbeddingSettings(url="", model="multilingual-e5-small", role_style="input_type")

    assert settings.role_style == "input_type"


def test_key_loses_the_line_end_of_its_file() -> None:
    assert replace(SETTINGS, api_key=" sk-1\n").api_key == "sk-1"


@pytest.mark.parametrize("key", ["키", "a\nb", "a\0b"], ids=["korean", "line", "nul"])
def test_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigurationError) as refusal:
        replace(SETTINGS, api_key=key)

    assert key not in str(refusal.value)
    assert str(refusal.value).startswith("TEXT_EMBEDDING_API_KEY")


def test_secrets_are_not_printed() -> None:
    settings = replace(SETTINGS, url="http://user:secret@host/v1", api_key="sk-1")

    assert "secret" not in repr(settings)
    assert "sk-1" not in repr(settings)


@pytest.mark.parametrize("name", ["batch_size", "max_characters", "timeout_s"])
def test_number_that_makes_no_sense_is_refused_with_its_variable(name: str) -> None:
    wrong: dict[str, Any] = {name: 0}

    with pytest.raises(ConfigurationError) as refusal:
        replace(SETTINGS, **wrong)

    assert str(refusal.value) == f"TEXT_EMBEDDING_{name.upper()} must be above 0"
