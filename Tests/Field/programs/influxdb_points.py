"""The client of InfluxDB 1 before influxd: nine points without a time, and their number at the end."""

import json
import os
import sys
import time
import urllib.parse

from influxdb import InfluxDBClient
from walk import PAUSE, tell


def client(url):
    address = urllib.parse.urlsplit(os.environ[url])
    return InfluxDBClient(address.hostname, address.port, database="field")


def write():
    failed = False
    database = client("UNDERSTUDY_URL")
    for number in range(9):
        try:
            database.write_points([{"measurement": "visits", "fields": {"value": number}}])
            tell("write", "ok", "1")
        except Exception as error:
            failed = True
            tell("write", "error", f"{type(error).__name__}: {error}")
            time.sleep(PAUSE)
    sys.exit(failed)


def reset():
    database = client("BACKEND_URL")
    database.drop_database("field")
    database.create_database("field")


def look():
    points = list(client("BACKEND_URL").query("SELECT count(value) FROM visits").get_points())
    print(json.dumps({"write": points[0]["count"] if points else 0}))


{"reset": reset, "look": look, "client": write}[sys.argv[1]]()
