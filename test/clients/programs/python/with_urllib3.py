import json
import time

import urllib3
from patiently import retry_delay

content_type = {"Content-Type": "application/json"}


def by_default(method, url, headers, pet):
    body = json.dumps(pet) if pet else None
    return urllib3.PoolManager().request(method, url, headers={**headers, **content_type}, body=body).status


# doc: set right
class Patience(urllib3.Retry):
    def increment(self, method=None, url=None, response=None, error=None, *args, **kwargs):
        status, headers = (0, {}) if response is None else (response.status, response.headers)
        delay = retry_delay(5 - self.total, method, status, headers)
        if delay is None:
            message = f"no further attempt after status {status}"
            raise error or urllib3.exceptions.ResponseError(message)
        following = super().increment(method, url, response, error, *args, **kwargs)
        following.delay = delay
        return following

    def sleep(self, response=None):
        time.sleep(self.delay)


retries = Patience(
    total=4, allowed_methods={"GET", "POST"}, status_forcelist={429, 500, 502, 503, 504}
)
http = urllib3.PoolManager(retries=retries, timeout=30)
# end


def set_right(method, url, headers, pet):
    body = json.dumps(pet) if pet else None
    return http.request(method, url, headers={**headers, **content_type}, body=body, enforce_content_length=True).status

# doc: whole
#| import os
#| import time
#|
#| import urllib3
#| from patiently import retry_delay
#|
#|
#| <set right>
#|
#|
#| url = os.environ["PETSTORE_BASE_URL"] + "/pets"
#| headers = {"Authorization": "Bearer " + os.environ["PETSTORE_API_KEY"]}
#| # enforce_content_length: without it, a response that breaks off is not noticed.
#| response = http.request("GET", url, headers=headers, enforce_content_length=True)
#| if response.status >= 400:
#|     raise SystemExit(f"the service answered {response.status}")
# end
