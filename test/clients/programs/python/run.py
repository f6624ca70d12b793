"""Makes the calls that petstore-sim asks for with one client: python3 run.py NAME byDefault|setRight."""
import importlib
import os
import sys
import threading
import traceback

name, setting = sys.argv[1:]
send = getattr(importlib.import_module(f"with_{name}"), {"byDefault": "by_default", "setRight": "set_right"}[setting])
is_post = os.environ["PETSTORE_OPERATION"] == "createPet"
url = os.environ["PETSTORE_BASE_URL"] + "/pets"
headers = {"Authorization": "Bearer " + os.environ["PETSTORE_API_KEY"]}
numbers = iter(range(1, int(os.environ["PETSTORE_CALLS"]) + 1))


def caller():
    try:
        for number in numbers:
            pet = {"name": f"Newcomer {number}", "categoryId": 1} if is_post else None
            status = send("POST" if is_post else "GET", url, headers, pet)
            if status >= 400:
                raise RuntimeError(f"the service answered {status}")
    except BaseException:
        traceback.print_exc()
        os._exit(1)


callers = [threading.Thread(target=caller) for _ in range(int(os.environ["PETSTORE_PARALLEL"]))]
for thread in callers:
    thread.start()
for thread in callers:
    thread.join()
