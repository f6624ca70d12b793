import httpx
from patiently import patiently


def by_default(method, url, headers, pet):
    with httpx.Client() as client:
        return client.request(method, url, headers=headers, json=pet).status_code


# doc: set right
class Patience(httpx.HTTPTransport):
    def handle_request(self, request):
        def send():
            response = super(Patience, self).handle_request(request)
            response.read()
            return response

        return patiently(request.method, send, httpx.TransportError)


http = httpx.Client(transport=Patience(), timeout=30)
# end


def set_right(method, url, headers, pet):
    return http.request(method, url, headers=headers, json=pet).status_code

# doc: whole
#| import os
#|
#| import httpx
#| from patiently import patiently
#|
#|
#| <set right>
#|
#|
#| url = os.environ["PETSTORE_BASE_URL"] + "/pets"
#| headers = {"Authorization": "Bearer " + os.environ["PETSTORE_API_KEY"]}
#| http.get(url, headers=headers).raise_for_status()
# end
