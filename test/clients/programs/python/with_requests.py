import requests
from patiently import patiently


def by_default(method, url, headers, pet):
    return requests.request(method, url, headers=headers, json=pet).status_code


# doc: set right
def fetch(method, url, **kwargs):
    response = requests.request(method, url, timeout=30, **kwargs)
    if response.raw.length_remaining:  # requests before 2.32 does not notice
        raise requests.ConnectionError("the response broke off")
    return response


def call(method, url, **kwargs):
    return patiently(method, lambda: fetch(method, url, **kwargs))
# end


def set_right(method, url, headers, pet):
    return call(method, url, headers=headers, json=pet).status_code

# doc: whole
#| import os
#|
#| import requests
#| from patiently import patiently
#|
#|
#| <set right>
#|
#|
#| url = os.environ["PETSTORE_BASE_URL"] + "/pets"
#| headers = {"Authorization": "Bearer " + os.environ["PETSTORE_API_KEY"]}
#| call("GET", url, headers=headers).raise_for_status()
# end
