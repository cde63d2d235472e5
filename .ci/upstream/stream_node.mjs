// A server of Node that answers in two parts, the second when /go is asked. The argument is the port.
import http from "node:http";
let waiting = [];
http.createServer((request, response) => {
  if (request.url === "/go") {
    for (const other of waiting) other.end("two");
    waiting = [];
    response.writeHead(204).end();
    return;
  }
  response.writeHead(200, { "Content-Type": "text/plain", Link: `<http://${request.headers.host}/next>; rel=next` });
  response.write("one ");
  waiting.push(response);
}).listen(Number(process.argv[2]), "127.0.0.1");
