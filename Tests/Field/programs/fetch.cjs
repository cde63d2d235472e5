// fetch of Node.
const { walk } = require('./walk.cjs');

walk(async (method, url, body, headers) => {
  const response = await fetch(url, { method, body, headers });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
});
