#!/usr/bin/env python3
"""Orders three things at the shop of the page "In front of your backend", and tries again where no answer comes.

Usage: order.py [--with-key]
"""

import http.client
import json
import os
import random
import sys
import time
import urllib.parse
import uuid


def post(item, key):
    server = urllib.parse.urlsplit(os.environ["UNDERSTUDY_URL"])
    connection = http.client.HTTPConnection(server.hostname, server.port, timeout=5)
    fields = {"Content-Type": "application/json", "Understudy-Client": "shop-app"}
    if key:
        fields["Idempotency-Key"] = key
    try:
        connection.request("POST", "/orders", json.dumps({"item": item}), fields)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


for item in ["a lamp", "a chair", "a table"]:
    key = str(uuid.uuid4()) if "--with-key" in sys.argv else None
    for attempt in range(4):
        if attempt:
            time.sleep(random.uniform(0.1, 0.2) * 2**attempt)
        if post(item, key) == 201:
            break
