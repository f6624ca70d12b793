"""One call with urllib3 set right for this service: METHOD URL HEADERS BODY."""
import json
import sys
import time

import urllib3


# doc: urllib3
class Patient(urllib3.Retry):
    def get_retry_after(self, response):
        seconds = super().get_retry_after(response)
        if seconds is None and "X-RateLimit-Reset" in response.headers:
            seconds = max(1, int(response.headers["X-RateLimit-Reset"]) - time.time())
        return seconds

    def increment(self, *args, response=None, **kwargs):
        if response is not None and (self.get_retry_after(response) or 0) > 60:
            raise urllib3.exceptions.ResponseError("asked to wait longer than a minute")
        return super().increment(*args, response=response, **kwargs)


# read=0: a connection that breaks after the request was sent is not tried again.
retries = Patient(total=5, read=0, allowed_methods={"GET", "POST"}, status_forcelist={429}, backoff_factor=1)
http = urllib3.PoolManager(retries=retries)
# end

method, url, headers, body = sys.argv[1:]
print(http.request(method, url, headers=json.loads(headers), body=body or None).status)
