// Reads the answer of stream_node.mjs: the second part is asked for when the first has come, so one that is held never ends.
const url = process.argv[2];
const response = await fetch(url, { signal: AbortSignal.timeout(20_000) });
const reader = response.body.getReader();
const decoder = new TextDecoder();
const first = await reader.read();
console.log(response.status, response.headers.get("link"), decoder.decode(first.value));
await fetch(url + "/go");
const second = await reader.read();
console.log(decoder.decode(second.value));
