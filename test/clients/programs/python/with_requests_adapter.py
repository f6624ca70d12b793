import time

import requests
import urllib3
from patiently import retry_delay
from requests.adapters import HTTPAdapter

usual = requests.Session()
usual.mount(
    "http://",
    HTTPAdapter(max_retries=urllib3.Retry(total=5, backoff_factor=1, status_forcelist=[429, 500, 502, 503, 504])),
)


def by_default(method, url, headers, pet):
    return usual.request(method, url, headers=headers, json=pet).status_code


# doc: set right
class Patience(urllib3.Retry):
    def increment(self, method=None, url=None, response=None, error=None, *args, **kwargs):
        status, headers = (0, {}) if response is None else (response.status, response.headers)
        delay = retry_delay(5 - self.total, method, status, headers)
        if delay is None:
            # The session returns the response.
            raise error or urllib3.exceptions.MaxRetryError(None, url)
        following = super().increment(method, url, response, error, *args, **kwargs)
        following.delay = delay
        return following

    def sleep(self, response=None):
        time.sleep(self.delay)


session = requests.Session()
retries = Patience(
    total=4,
    allowed_methods={"GET", "POST"},
    status_forcelist={429, 500, 502, 503, 504},
    raise_on_status=False,
)
for scheme in ["http://", "https://"]:
    session.mount(scheme, HTTPAdapter(max_retries=retries))


def fetch(method, url, **kwargs):
    response = session.request(method, url, timeout=30, **kwargs)
    if response.raw.length_remaining:  # requests before 2.32 does not notice
        raise requests.ConnectionError("the response broke off")
    return response
# end


def set_right(method, url, headers, pet):
    return fetch(method, url, headers=headers, json=pet).status_code

# doc: whole
#| import os
#| import time
#|
#| import requests
#| import urllib3
#| from patiently import retry_delay
#| from requests.adapters import HTTPAdapter
#|
#|
#| <set right>
#|
#|
#| url = os.environ["PETSTORE_BASE_URL"] + "/pets"
#| headers = {"Authorization": "Bearer " + os.environ["PETSTORE_API_KEY"]}
#| fetch("GET", url, headers=headers).raise_for_status()
# end
