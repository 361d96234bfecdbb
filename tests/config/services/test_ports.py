"""Ports for servers that do not listen yet."""

import pytest

from config.services import ports


def test_port_that_was_chosen_is_not_chosen_again_before_its_server_listens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ports, "LAST_PORT", ports.FIRST_PORT + 99)

    chosen = [ports.choose_free_port() for _ in range(40)]

    assert len(set(chosen)) == 40
