import requests
import tenacity
from patiently import retry_delay


@tenacity.retry(wait=tenacity.wait_exponential(multiplier=1, max=60), stop=tenacity.stop_after_attempt(6))
def by_default(method, url, headers, pet):
    response = requests.request(method, url, headers=headers, json=pet)
    response.raise_for_status()
    return response.status_code


# doc: set right
def delay_of(state):
    if state.outcome.failed:
        return retry_delay(state.attempt_number, state.args[0])
    response = state.outcome.result()
    method = state.args[0]
    return retry_delay(state.attempt_number, method, response.status_code, response.headers)


@tenacity.retry(retry=lambda state: delay_of(state) is not None, wait=delay_of)
def call(method, url, **kwargs):
    response = requests.request(method, url, timeout=30, **kwargs)
    if response.raw.length_remaining:  # requests before 2.32 does not notice
        raise requests.ConnectionError("the response broke off")
    return response
# end


def set_right(method, url, headers, pet):
    return call(method, url, headers=headers, json=pet).status_code

# doc: whole
#| import os
#|
#| import requests
#| import tenacity
#| from patiently import retry_delay
#|
#|
#| <set right>
#|
#|
#| url = os.environ["PETSTORE_BASE_URL"] + "/pets"
#| headers = {"Authorization": "Bearer " + os.environ["PETSTORE_API_KEY"]}
#| call("GET", url, headers=headers).raise_for_status()
# end
