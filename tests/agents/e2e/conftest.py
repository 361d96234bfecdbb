"""The scripted model, and environments of the agent that name it and the installation."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.data_search.environment import Environment
from tests.agents.conftest import Installation
from tests.agents.demo_llm.serving import demo_model
from tests.agents.demo_llm.variants import MODEL_NAME

MakeEnvironment = Callable[..., Environment]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is in this folder `whole`."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.whole)


@pytest.fixture(scope="session")
def model_url() -> Iterator[str]:
    """The scripted model's base URL."""
    with demo_model() as base_url:
        yield base_url


@pytest.fixture
def environment(installation: Installation, model_url: str, tmp_path: Path) -> MakeEnvironment:
    """Makes the agent's environment; every setting of it can be given."""

    def make(model: str = MODEL_NAME, **given: Any) -> Environment:
        settings: dict[str, Any] = {
            "mcp_url": installation.mcp,
            "mcp_api_key": installation.api_key,
            "llm_base_url": model_url,
            "llm_model": model,
            "artifacts_dir": tmp_path,
        }
        return Environment(**{**settings, **given})

    return make
