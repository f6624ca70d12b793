"""Makes PETSTORE_CALLS calls with httpx; exits with code 1 if one fails permanently."""
import asyncio
import os
import random
from email.utils import parsedate_to_datetime

import httpx

headers = {"Authorization": "Bearer " + os.environ["PETSTORE_API_KEY"]}
at_once = asyncio.Semaphore(int(os.environ["PETSTORE_PARALLEL"]))


async def call(client, number):
    is_post = os.environ["PETSTORE_OPERATION"] == "createPet"
    pet = {"name": f"Pet {os.getpid()}-{number}", "categoryId": 1} if is_post else None
    async with at_once:
        for attempt in range(5):
            response = await client.request("POST" if is_post else "GET", "/pets", json=pet)
            if response.status_code != 429:
                break
            until_reset = float(response.headers["X-RateLimit-Reset"]) - parsedate_to_datetime(response.headers["Date"]).timestamp()
            await asyncio.sleep(float(response.headers.get("Retry-After", until_reset)) + random.random() * 0.1 * 2**attempt)
        response.raise_for_status()


async def main():
    async with httpx.AsyncClient(base_url=os.environ["PETSTORE_BASE_URL"], headers=headers, timeout=30) as client:
        await asyncio.gather(*(call(client, number) for number in range(int(os.environ["PETSTORE_CALLS"]))))

asyncio.run(main())
