"""Makes PETSTORE_CALLS calls with requests; exits with code 1 if one fails permanently."""
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime

import requests

url = os.environ["PETSTORE_BASE_URL"] + "/pets"
headers = {"Authorization": "Bearer " + os.environ["PETSTORE_API_KEY"]}


def call(number):
    for attempt in range(5):
        if os.environ["PETSTORE_OPERATION"] == "createPet":
            pet = {"name": f"Pet {os.getpid()}-{number}", "categoryId": 1}
            response = requests.post(url, json=pet, headers=headers, timeout=30)
        else:
            response = requests.get(url, headers=headers, timeout=30)
        if response.status_code != 429:
            break
        until_reset = float(response.headers["X-RateLimit-Reset"]) - parsedate_to_datetime(response.headers["Date"]).timestamp()
        time.sleep(float(response.headers.get("Retry-After", until_reset)) + random.random() * 0.1 * 2**attempt)
    response.raise_for_status()


with ThreadPoolExecutor(int(os.environ["PETSTORE_PARALLEL"])) as pool:
    list(pool.map(call, range(int(os.environ["PETSTORE_CALLS"]))))
