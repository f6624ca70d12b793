import requests
from patiently import patiently


def by_default(method, url, headers, pet):
    return requests.request(method, url, headers=headers, json=pet).status_code


def set_right(method, url, headers, json):
    # doc: set right
    response = patiently(lambda: requests.request(method, url, headers=headers, json=json, timeout=30))
    # end
    return response.status_code
