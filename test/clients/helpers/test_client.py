import json
import time
import urllib.error
import urllib.request

import pytest


def list_pets(base_url, api_key, wait):
    """A client: waits as the function says, and asks again."""
    for _ in range(5):
        request = urllib.request.Request(base_url + "/pets", headers={"Authorization": "Bearer " + api_key})
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code != 429:
                raise
            wait(int(error.headers["Retry-After"]))


def test_client_waits(petstore):
    petstore.exhaust()
    waits = []

    def wait(seconds):
        waits.append(seconds)
        petstore.clock.advance(f"{seconds}s")

    assert len(list_pets(petstore.base_url, petstore.api_key, wait)) == 20
    assert waits[0] in range(50, 61)
    assert [entry["status"] for entry in petstore.journal()] == [429, 200]
    assert len(petstore.journal(status=429)) == 1


def test_client_retries_too_early(petstore):
    petstore.exhaust()
    list_pets(petstore.base_url, petstore.api_key, lambda seconds: time.sleep(0.1))


@pytest.mark.parametrize("petstore", ["minute-wall"], indirect=True)
def test_client_with_scenario(petstore):
    list_pets(petstore.base_url, petstore.api_key, lambda seconds: petstore.clock.advance(f"{seconds}s"))


def test_banned(petstore):
    petstore.ban("90s")
    assert list_pets(petstore.base_url, petstore.api_key, lambda seconds: petstore.clock.advance("90s"))


def test_sends_nothing(petstore):
    pass


def test_needs_no_sandbox():
    pass


def test_fails_by_itself(petstore):
    list_pets(petstore.base_url, petstore.api_key, lambda seconds: time.sleep(0.1))
    assert 1 == 2


def test_fails_first(petstore):
    petstore.exhaust()
    pets = list_pets(petstore.base_url, petstore.api_key, lambda seconds: time.sleep(0.1))
    assert len(pets or []) == 20
