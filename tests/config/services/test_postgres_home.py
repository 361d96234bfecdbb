"""Where PostgreSQL's data goes when its user cannot reach the folder that was asked for."""

import os
from pathlib import Path

import pytest

from config.services.postgres_home import can_reach, choose_account, find_home

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another user")


@as_root
def test_closed_parent_moves_the_data_to_a_folder_that_can_be_reached(data_dir: Path) -> None:
    closed, state = data_dir / "closed", data_dir / "state"
    closed.mkdir(mode=0o700)
    state.mkdir(mode=0o755)
    data_dir.chmod(0o755)

    home = find_home(closed / ".data" / "postgres", state)

    assert home.account is not None
    assert home.data.is_relative_to(state)
    assert can_reach(home.data.parent, home.account)
    assert home.notice is not None
    assert str(closed) in home.notice


@as_root
def test_the_folder_itself_is_opened_to_the_servers_group_only(data_dir: Path) -> None:
    home = find_home(data_dir / "postgres")

    assert home.data == data_dir / "postgres"
    assert home.notice is None
    assert data_dir.stat().st_mode & 0o777 == 0o710


@as_root
def test_existing_cluster_keeps_its_owner(data_dir: Path) -> None:
    cluster = data_dir / "postgres"
    cluster.mkdir()
    os.chown(cluster, 4321, 8765)

    account = choose_account(cluster)

    assert (account.uid, account.gid) == (4321, 8765)


@pytest.mark.skipif(os.geteuid() == 0, reason="root needs another user")
def test_normal_user_runs_it_as_themselves(data_dir: Path) -> None:
    home = find_home(data_dir / "postgres")

    assert home.account is None
    assert home.data == data_dir / "postgres"
