import json

import urllib3
from patiently import asked_wait, is_worth_waiting

content_type = {"Content-Type": "application/json"}


def by_default(method, url, headers, pet):
    body = json.dumps(pet) if pet else None
    return urllib3.PoolManager().request(method, url, headers={**headers, **content_type}, body=body).status


# doc: set right
class Patience(urllib3.Retry):
    def get_retry_after(self, response):
        return asked_wait(response.headers)

    def increment(self, *args, response=None, **kwargs):
        if response is not None and not is_worth_waiting(response.status, response.headers):
            raise urllib3.exceptions.ResponseError("asked to wait longer than a minute")
        return super().increment(*args, response=response, **kwargs)


# read=0: a connection that breaks after the request was sent is not tried again.
retries = Patience(total=4, read=0, allowed_methods={"GET", "POST"}, status_forcelist={429})
http = urllib3.PoolManager(retries=retries)
# end


def set_right(method, url, headers, pet):
    body = json.dumps(pet) if pet else None
    return http.request(method, url, headers={**headers, **content_type}, body=body).status
