// A server of Node that answers in two parts, the second half a second later. The argument is the port.
import http from "node:http";
http.createServer((request, response) => {
  response.writeHead(200, { "Content-Type": "text/plain", Link: `<http://${request.headers.host}/next>; rel=next` });
  response.write("one ");
  setTimeout(() => response.end("two"), 500);
}).listen(Number(process.argv[2]), "127.0.0.1");
