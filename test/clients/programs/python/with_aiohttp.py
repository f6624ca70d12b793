import asyncio

import aiohttp
from patiently import retry_delay


def by_default(method, url, headers, pet):
    async def call():
        async with aiohttp.ClientSession() as session, session.request(method, url, headers=headers, json=pet) as response:
            return response.status

    return asyncio.run(call())


# doc: set right
async def patiently(session, method, url, **kwargs):
    limit = aiohttp.ClientTimeout(total=30)
    for attempt in range(1, 6):
        try:
            async with session.request(method, url, timeout=limit, **kwargs) as response:
                await response.read()
            delay = retry_delay(attempt, method, response.status, response.headers)
            if delay is None:
                return response
        except (aiohttp.ClientError, asyncio.TimeoutError):
            delay = retry_delay(attempt, method)
            if delay is None:
                raise
        await asyncio.sleep(delay)
# end


def set_right(method, url, headers, pet):
    async def call():
        async with aiohttp.ClientSession() as session:
            return (await patiently(session, method, url, headers=headers, json=pet)).status

    return asyncio.run(call())

# doc: whole
#| import asyncio
#| import os
#|
#| import aiohttp
#| from patiently import retry_delay
#|
#|
#| <set right>
#|
#|
#| url = os.environ["PETSTORE_BASE_URL"] + "/pets"
#| headers = {"Authorization": "Bearer " + os.environ["PETSTORE_API_KEY"]}
#|
#|
#| async def main():
#|     async with aiohttp.ClientSession() as session:
#|         (await patiently(session, "GET", url, headers=headers)).raise_for_status()
#|
#|
#| asyncio.run(main())
# end
