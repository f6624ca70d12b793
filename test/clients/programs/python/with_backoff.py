import backoff
import requests
from patiently import asked_wait, is_worth_waiting


@backoff.on_exception(backoff.expo, requests.exceptions.RequestException, max_tries=6)
def by_default(method, url, headers, pet):
    response = requests.request(method, url, headers=headers, json=pet)
    response.raise_for_status()
    return response.status_code


# doc: set right
@backoff.on_predicate(
    backoff.runtime,
    predicate=lambda response: is_worth_waiting(response.status_code, response.headers),
    value=lambda response: asked_wait(response.headers),
    jitter=None,
    max_tries=5,
)
def call(*args, **kwargs):
    return requests.request(*args, **kwargs)
# end


def set_right(method, url, headers, pet):
    return call(method, url, headers=headers, json=pet).status_code
