"""A ClientSession of aiohttp. With the argument "retry" it is the RetryClient of aiohttp-retry, with that library's defaults."""

import asyncio
import sys

import aiohttp
from aiohttp_retry import RetryClient
from walk import walk

loop = asyncio.new_event_loop()


async def opened():
    return RetryClient() if sys.argv[1:] == ["retry"] else aiohttp.ClientSession()


session = loop.run_until_complete(opened())


async def exchange(method, url, content, fields):
    async with session.request(method, url, data=content, headers=fields) as response:
        response.raise_for_status()
        return await response.read()


try:
    walk(lambda *request: loop.run_until_complete(exchange(*request)))
finally:
    loop.run_until_complete(session.close())
