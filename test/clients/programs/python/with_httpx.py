import httpx
from patiently import patiently


def by_default(method, url, headers, pet):
    with httpx.Client() as client:
        return client.request(method, url, headers=headers, json=pet).status_code


# doc: set right
class Patience(httpx.HTTPTransport):
    def handle_request(self, request):
        return patiently(lambda: super(Patience, self).handle_request(request))
# end


def set_right(method, url, headers, pet):
    with httpx.Client(transport=Patience()) as client:
        return client.request(method, url, headers=headers, json=pet).status_code
