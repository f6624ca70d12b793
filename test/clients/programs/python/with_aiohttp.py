import asyncio

import aiohttp
from patiently import asked_wait, is_worth_waiting


def by_default(method, url, headers, pet):
    async def call():
        async with aiohttp.ClientSession() as session, session.request(method, url, headers=headers, json=pet) as response:
            return response.status

    return asyncio.run(call())


# doc: set right
async def patiently(session, *args, **kwargs):
    for attempt in range(5):
        response = await session.request(*args, **kwargs)
        if attempt == 4 or not is_worth_waiting(response.status, response.headers):
            return response
        response.release()
        await asyncio.sleep(asked_wait(response.headers))
# end


def set_right(method, url, headers, pet):
    async def call():
        async with aiohttp.ClientSession() as session:
            return (await patiently(session, method, url, headers=headers, json=pet)).status

    return asyncio.run(call())
