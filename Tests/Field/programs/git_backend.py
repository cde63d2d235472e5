"""A server of one Git repository by git http-backend, on the port that its argument gives."""

import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        variables = {
            "GIT_PROJECT_ROOT": os.environ["BACKEND"], "GIT_HTTP_EXPORT_ALL": "1", "REMOTE_USER": "field", "REMOTE_ADDR": "127.0.0.1",
            "REQUEST_METHOD": self.command, "PATH_INFO": path, "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": self.headers.get("Content-Length", "0"),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""), "GIT_PROTOCOL": self.headers.get("Git-Protocol", "")}
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        answer = subprocess.run(["git", "http-backend"], check=True, input=content, stdout=subprocess.PIPE, env=os.environ | variables).stdout
        head, _, body = answer.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in (fields | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
