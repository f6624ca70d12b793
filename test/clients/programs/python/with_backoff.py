import backoff
import requests
from patiently import retry_delay


@backoff.on_exception(backoff.expo, requests.exceptions.RequestException, max_tries=6)
def by_default(method, url, headers, pet):
    response = requests.request(method, url, headers=headers, json=pet)
    response.raise_for_status()
    return response.status_code


# doc: set right
def delay_of(error, attempt=1):
    if error.response is None:
        return retry_delay(attempt, error.request.method)
    response = error.response
    return retry_delay(attempt, error.request.method, response.status_code, response.headers)


def delays():
    error = yield
    for attempt in range(1, 5):
        error = yield delay_of(error, attempt)


@backoff.on_exception(
    delays,
    requests.RequestException,
    giveup=lambda error: delay_of(error) is None,
    jitter=None,
    max_tries=5,
)
def call(method, url, **kwargs):
    response = requests.request(method, url, timeout=30, **kwargs)
    if response.raw.length_remaining:  # requests before 2.32 does not notice
        raise requests.ConnectionError("the response broke off", request=response.request)
    response.raise_for_status()
    return response
# end


def set_right(method, url, headers, pet):
    return call(method, url, headers=headers, json=pet).status_code

# doc: whole
#| import os
#|
#| import backoff
#| import requests
#| from patiently import retry_delay
#|
#|
#| <set right>
#|
#|
#| url = os.environ["PETSTORE_BASE_URL"] + "/pets"
#| headers = {"Authorization": "Bearer " + os.environ["PETSTORE_API_KEY"]}
#| call("GET", url, headers=headers)
# end
