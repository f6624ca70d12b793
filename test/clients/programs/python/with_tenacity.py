import requests
import tenacity
from patiently import asked_wait, is_worth_waiting


@tenacity.retry(wait=tenacity.wait_exponential(multiplier=1, max=60), stop=tenacity.stop_after_attempt(6))
def by_default(method, url, headers, pet):
    response = requests.request(method, url, headers=headers, json=pet)
    response.raise_for_status()
    return response.status_code


# doc: set right
patiently = tenacity.retry(
    retry=tenacity.retry_if_result(lambda response: is_worth_waiting(response.status_code, response.headers)),
    wait=lambda state: asked_wait(state.outcome.result().headers),
    stop=tenacity.stop_after_attempt(5),
    retry_error_callback=lambda state: state.outcome.result(),
)


@patiently
def call(*args, **kwargs):
    return requests.request(*args, **kwargs)
# end


def set_right(method, url, headers, pet):
    return call(method, url, headers=headers, json=pet).status_code
