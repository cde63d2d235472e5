// Reads the answer of stream_node.mjs, and says whether its first part came early.
const url = process.argv[2];
const began = performance.now();
const response = await fetch(url);
const reader = response.body.getReader();
const first = await reader.read();
console.log(response.status, response.headers.get("link"), new TextDecoder().decode(first.value), performance.now() - began < 400);
const second = await reader.read();
console.log(new TextDecoder().decode(second.value));
