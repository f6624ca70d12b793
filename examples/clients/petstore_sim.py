"""pytest fixtures for petstore-sim. Copy this file beside conftest.py, and write there: pytest_plugins = ["petstore_sim"]

    def test_client_waits(petstore):
        petstore.exhaust()
        assert len(Client(petstore.base_url, petstore.api_key).list()) == 20

Each test gets a sandbox of its own, and fails if its client failed the verdict or sent nothing.
Environment: PETSTORE_SIM_URL is a running server to use instead of an own one, PETSTORE_SIM_COMMAND the command that starts it.
"""
import json
import os
import re
import shlex
import subprocess
import urllib.error
import urllib.request
import uuid
from urllib.parse import quote, urlencode

import pytest


def call(method, url, body=None):
    """Calls the control API. Raises RuntimeError with its message if it refuses."""
    headers = {"Content-Type": "application/json"}
    if "PETSTORE_SIM_TOKEN" in os.environ:
        headers["Authorization"] = "Bearer " + os.environ["PETSTORE_SIM_TOKEN"]
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=60) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise RuntimeError(json.load(error)["message"]) from None


class Clock:
    def __init__(self, sandbox):
        self._sandbox = sandbox

    def advance(self, duration):
        """Moves the clock of the sandbox forward: "61s", "24h"."""
        return self._sandbox.control("POST", "/clock", {"advance": duration})

    def freeze(self):
        """Stops the clock, so that only advance moves it."""
        return self._sandbox.control("POST", "/clock", {"freeze": True})


class Sandbox:
    """A Petstore of one test: pets, keys, limits, bans, clock and journal of its own."""

    def __init__(self, server, name, scenario=None):
        body = {"name": name} if scenario is None else {"name": name, "scenario": scenario}
        made = call("POST", server + "/sandboxes", body)
        self.base_url, self.api_key, self.control_url = made["baseUrl"], made["apiKey"], made["controlUrl"]
        self.clock = Clock(self)

    def control(self, method, path, body=None):
        """Calls an operation of the control API, such as GET /keys."""
        return call(method, self.control_url + path, body)

    def exhaust(self, window="minute", key=None):
        """Uses up a window of the key, so that its next request gets 429."""
        return self.control("POST", f"/keys/{quote(key or self.api_key, safe='')}/exhaust", {"window": window})

    def ban(self, duration="2m", key=None):
        """Bans the key from now on."""
        return self.control("POST", f"/keys/{quote(key or self.api_key, safe='')}/ban", {"for": duration})

    def journal(self, **query):
        """Requests so far, the oldest first: journal(status=429, operation="listPets")."""
        return self.control("GET", "/journal?" + urlencode(query))["entries"]

    def verdict(self):
        """Verdict on the client, which has ended: outcome, reason, findings."""
        return self.control("GET", "/verdict?ended=true")

    def check(self):
        """Fails the test if the client failed the verdict or sent nothing."""
        verdict = self.verdict()
        if verdict["outcome"] == "fail":
            failed = [found for found in verdict["findings"] if found["severity"] == "fail"]
            pytest.fail("\n  ".join([verdict["reason"], *(f"{each['code']}: {each['text']}" for each in failed)]), pytrace=False)
        if verdict["counts"]["requests"] == 0:
            pytest.fail(f"{verdict['reason']} Give the client petstore.base_url, {self.base_url}", pytrace=False)


@pytest.fixture(scope="session")
def petstore_server():
    """Address of the control API of the server for all tests of this process."""
    if "PETSTORE_SIM_URL" in os.environ:
        yield os.environ["PETSTORE_SIM_URL"].rstrip("/").removesuffix("/__sim") + "/__sim"
        return
    command = shlex.split(os.environ.get("PETSTORE_SIM_COMMAND", "npx petstore-sim"))
    arguments = ["serve", "--port", "0", "--log", "json", "--until-eof"]
    # The end of the block, or of this process, ends standard input and so the server.
    with subprocess.Popen([*command, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        assert line, f"expected {' '.join(command)} to start a server, see its error above"
        yield json.loads(line)["controlUrl"]


@pytest.fixture
def petstore(request, petstore_server):
    """A sandbox for the test. Its scenario: @pytest.mark.parametrize("petstore", ["minute-wall"], indirect=True)."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower())[:40].strip("-") + "-" + uuid.uuid4().hex[:8]
    sandbox = Sandbox(petstore_server, name, getattr(request, "param", None))
    yield sandbox
    call("DELETE", petstore_server + "/sandboxes/" + name)


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item):
    """After a test that passed: fails it on the verdict."""
    sandbox = getattr(item, "funcargs", {}).get("petstore")
    if isinstance(sandbox, Sandbox):
        sandbox.check()
