// The requests that each program of JavaScript sends: it lists the rooms, books a spot in two of them, and looks after each booking.

const json = { 'Content-Type': 'application/json' };
const steps = [
  ['list', 'GET', '/rooms.json', undefined, {}],
  ['write', 'POST', '/book', '{"name":"Ljerka"}', json],
  ['look', 'GET', '/rooms.json', undefined, {}],
  ['write with key', 'POST', '/book', '{"name":"Mina"}', { ...json, 'Idempotency-Key': 'a-booking' }],
  ['look again', 'GET', '/rooms.json', undefined, {}],
];

/** Sends each request with `send(method, url, content, fields)`, which returns the response's content as text, and throws an error for
 * each failure that its library tells. A program that met an error tells it, waits longer than any Retry-After of the
 * ways, goes on, and ends with 1. */
exports.walk = async (send) => {
  for (const [step, method, path, content, fields] of steps) {
    try {
      const received = await send(method, process.env.UNDERSTUDY_URL + path, content, fields);
      console.log([step, 'ok', `${Buffer.byteLength(received)} bytes`].join('\t'));
    } catch (error) {
      process.exitCode = 1;
      const text = `${error.name}: ${error.message} ${error.cause?.message ?? ''}`;
      console.log([step, 'error', text.replace(/\s+/g, ' ').trim()].join('\t'));
      await new Promise((resolve) => setTimeout(resolve, 1200));
    }
  }
};
