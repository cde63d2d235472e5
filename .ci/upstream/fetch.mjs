// Makes the calls of a table with fetch, and prints what came back: fetch.mjs URL TABLE. clients.py says how a line looks.
import { readFileSync } from "node:fs"

const [url, table] = process.argv.slice(2)
const pattern = size => Uint8Array.from({ length: size }, (_, i) => (i * 31) % 251)

for (const line of readFileSync(table, "utf8").trimEnd().split("\n")) {
  const [name, method, path, given, size, mode] = line.split("\t")
  const headers = given ? given.split("\x1f").map(field => field.split(/: (.*)/s).slice(0, 2)) : []
  const options = { method, headers, redirect: "manual" }
  if (size >= 0) options.body = pattern(Number(size))
  if (mode === "chunked") {
    options.body = new ReadableStream({ start(controller) { controller.enqueue(pattern(Number(size))); controller.close() } })
    options.duplex = "half"
  }
  const response = await fetch(url + path, options)
  const content = Buffer.from(await response.arrayBuffer())
  const lines = [...response.headers].map(([field, value]) => `${field}: ${value}`)
  console.log([name, response.status, lines.join("\x1f"), content.toString("hex")].join("\t"))
}
