"""pytest fixtures for petstore-sim. Copy this file beside conftest.py, and write there: pytest_plugins = ["petstore_sim"]

    def test_client_waits(petstore):
        petstore.exhaust()
        assert len(Client(petstore.base_url, petstore.api_key).list()) == 20

Each test gets a sandbox of its own, and fails if its client failed the verdict or sent nothing.
Environment: PETSTORE_SIM_URL is the control API of a running server to use, PETSTORE_SIM_COMMAND the command that starts one.
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


@pytest.fixture(scope="session")
def petstore_server():
    """Address of the control API of the server for all tests of this process."""
    if "PETSTORE_SIM_URL" in os.environ:
        yield os.environ["PETSTORE_SIM_URL"].rstrip("/").removesuffix("/__sim") + "/__sim"
        return
    command = shlex.split(os.environ.get("PETSTORE_SIM_COMMAND", "npx --no-install petstore-sim"))
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


def failure_of(item, has_failed):
    """Reason to fail a test: its client failed the verdict, or the test passed although the client sent nothing."""
    sandbox = getattr(item, "funcargs", {}).get("petstore")
    if not isinstance(sandbox, Sandbox):
        return ""
    verdict = sandbox.verdict()
    if verdict["outcome"] == "fail":
        failed = [f"{found['code']}: {found['text']}" for found in verdict["findings"] if found["severity"] == "fail"]
        return "\n  ".join([verdict["reason"], *failed])
    is_silent = verdict["counts"]["requests"] == 0 and not has_failed
    return f"{verdict['reason']} Give the client petstore.base_url, {sandbox.base_url}" if is_silent else ""


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item):
    """After a test that passed: fails it on the verdict."""
    if failure := failure_of(item, False):
        pytest.fail(failure, pytrace=False)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """After a test that failed by itself: adds the verdict to its report."""
    report = (yield).get_result()
    if report.when == "call" and report.failed:
        try:
            failure = failure_of(item, True)
        except OSError as error:  # pytest would end if a hook raises
            failure = f"No verdict: {error}"
        if failure and failure != str(call.excinfo.value):
            report.sections.append(("petstore-sim", failure))
