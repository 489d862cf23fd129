import json
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy


def get(url: str) -> int:
    """What is tested: a client that retries after 503."""
    for _ in range(2):
        try:
            with urlopen(url) as response:
                return response.status
        except HTTPError as error:
            if error.code != 503:
                raise
    return 503


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    container = (
        DockerContainer("registry.example/wirebin")
        .with_env("WIREBIN_TAP", "true")
        .with_exposed_ports(8080)
        .waiting_for(HttpWaitStrategy(8080, "/readyz"))
    )
    with container:
        yield f"http://{container.get_container_host_ip()}:{container.get_exposed_port(8080)}"


def test_retries_after_503(origin: str) -> None:
    assert get(f"{origin}/retry/python?fail=1") == 200
    with urlopen(f"{origin}/journal/python") as journal:
        assert json.load(journal)["attempts"] == 2
