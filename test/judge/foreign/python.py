"""Makes the calls that petstore-sim asks for with one client: python3 python.py NAME."""
import json
import os
import sys
import tempfile
import threading
import traceback

import backoff
import requests
import tenacity
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

HEADERS = {"Authorization": "Bearer " + os.environ["PETSTORE_API_KEY"]}


def send(method, url, pet):
    response = requests.request(method, url, headers=HEADERS, json=pet, timeout=5)
    response.raise_for_status()
    return response.status_code


def with_adapter(**settings):
    def make(method, url, pet):
        session = requests.Session()
        session.mount("http://", HTTPAdapter(max_retries=Retry(**settings)))
        return session.request(method, url, headers=HEADERS, json=pet, timeout=15).status_code

    return make


def seconds_of(error, otherwise):
    header = getattr(error.response, "headers", {}).get("Retry-After", "")
    return float(header) if header.replace(".", "", 1).isdigit() else otherwise


def is_final(error):
    return error.response is not None and error.response.status_code in (400, 401, 404)


ERRORS = requests.RequestException
STATUSES = [429, 500, 503]


def with_key(request, **_):
    request.headers["Authorization"] = HEADERS["Authorization"]


def botocore_with(mode):
    import botocore.config
    import botocore.session

    shape = {"type": "structure", "members": {"name": {"shape": "S"}, "categoryId": {"shape": "I"}}}
    model = {
        "version": "2.0",
        "metadata": {
            "apiVersion": "2026-01-01",
            "endpointPrefix": "petstore",
            "protocol": "rest-json",
            "serviceFullName": "Petstore",
            "serviceId": "petstore",
            "signatureVersion": "v4",
            "uid": "petstore",
        },
        "operations": {
            "ListPets": {"name": "ListPets", "http": {"method": "GET", "requestUri": "/pets"}},
            "CreatePet": {
                "name": "CreatePet",
                "http": {"method": "POST", "requestUri": "/pets"},
                "input": {"shape": "NewPet"},
            },
        },
        "shapes": {"NewPet": shape, "S": {"type": "string"}, "I": {"type": "long"}},
    }

    def make(method, url, pet):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(folder + "/petstore/2026-01-01")
            with open(folder + "/petstore/2026-01-01/service-2.json", "w") as file:
                json.dump(model, file)
            session = botocore.session.Session()
            session.get_component("data_loader").search_paths.append(folder)
            client = session.create_client(
                "petstore",
                region_name="local",
                endpoint_url=url[: -len("/pets")],
                config=botocore.config.Config(
                    signature_version=botocore.UNSIGNED,
                    read_timeout=5,
                    retries={"mode": mode, "max_attempts": 4},
                ),
            )
        client.meta.events.register("before-sign", with_key)
        answer = client.create_pet(**pet) if method == "POST" else client.list_pets()
        return answer["ResponseMetadata"]["HTTPStatusCode"]

    return make


CLIENTS = {
    "requests_retry": with_adapter(total=5, backoff_factor=1, status_forcelist=STATUSES, allowed_methods=None),
    "requests_retry_blind": with_adapter(
        total=5, backoff_factor=0.5, status_forcelist=STATUSES, respect_retry_after_header=False
    ),
    "tenacity_fixed": lambda: tenacity.retry(wait=tenacity.wait_fixed(1), stop=tenacity.stop_after_attempt(8)),
    "tenacity_random": lambda: tenacity.retry(
        wait=tenacity.wait_random_exponential(multiplier=0.5, max=20), stop=tenacity.stop_after_attempt(6)
    ),
    "tenacity_told": lambda: tenacity.retry(
        retry=tenacity.retry_if_exception(lambda error: isinstance(error, ERRORS) and not is_final(error)),
        wait=lambda state: seconds_of(state.outcome.exception(), 2 ** state.attempt_number) + 0.2,
        stop=tenacity.stop_after_attempt(5),
    ),
    "backoff_constant": lambda: backoff.on_exception(backoff.constant, ERRORS, interval=2, max_tries=5),
    "backoff_expo": lambda: backoff.on_exception(backoff.expo, ERRORS, max_tries=5, jitter=None),
    "backoff_fibo": lambda: backoff.on_exception(backoff.fibo, ERRORS, max_tries=6, giveup=is_final),
    "backoff_told": lambda: backoff.on_exception(
        backoff.runtime, ERRORS, value=lambda error: seconds_of(error, 3), max_tries=5, giveup=is_final, jitter=None
    ),
    "botocore_legacy": botocore_with("legacy"),
    "botocore_standard": botocore_with("standard"),
}

name = sys.argv[1]
chosen = CLIENTS[name]
call = chosen()(send) if name.startswith(("tenacity", "backoff")) else chosen
is_post = os.environ["PETSTORE_OPERATION"] == "createPet"
url = os.environ["PETSTORE_BASE_URL"] + "/pets"
numbers = iter(range(1, int(os.environ["PETSTORE_CALLS"]) + 1))


def caller():
    try:
        for number in numbers:
            pet = {"name": f"Newcomer {number}", "categoryId": 1} if is_post else None
            status = call("POST" if is_post else "GET", url, pet)
            if status >= 400:
                raise RuntimeError(f"the service answered {status}")
    except BaseException:
        traceback.print_exc()
        os._exit(1)


callers = [threading.Thread(target=caller) for _ in range(int(os.environ["PETSTORE_PARALLEL"]))]
for thread in callers:
    thread.start()
for thread in callers:
    thread.join()
