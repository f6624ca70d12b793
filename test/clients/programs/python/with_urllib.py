import http.client
import json
import urllib.error
import urllib.request

from patiently import patiently


def request_of(method, url, headers, pet):
    body = json.dumps(pet).encode() if pet else None
    headers = {**headers, "Content-Type": "application/json"}
    return urllib.request.Request(url, body, headers, method=method)


def by_default(method, url, headers, pet):
    with urllib.request.urlopen(request_of(method, url, headers, pet)) as response:
        response.read()
        return response.status


# doc: set right
def open_whole(request):
    """A response with any status, and with its whole body in `text`; has a time limit."""
    try:
        response = urllib.request.urlopen(request, timeout=30)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        response.text = response.read().decode()
    response.status_code = response.code
    return response


def open_patiently(request):
    errors = (OSError, http.client.HTTPException)
    return patiently(request.get_method(), lambda: open_whole(request), errors)
# end


def set_right(method, url, headers, pet):
    return open_patiently(request_of(method, url, headers, pet)).status_code

# doc: whole
#| import http.client
#| import os
#| import urllib.error
#| import urllib.request
#|
#| from patiently import patiently
#|
#|
#| <set right>
#|
#|
#| url = os.environ["PETSTORE_BASE_URL"] + "/pets"
#| headers = {"Authorization": "Bearer " + os.environ["PETSTORE_API_KEY"]}
#| response = open_patiently(urllib.request.Request(url, headers=headers))
#| if response.status_code >= 400:
#|     raise SystemExit(f"the service answered {response.status_code}")
# end
