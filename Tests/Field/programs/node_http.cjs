// The module http of Node.
const http = require('node:http');
const { walk } = require('./walk.cjs');

walk((method, url, content, headers) => new Promise((resolve, reject) => {
  const request = http.request(url, { method, headers }, (response) => {
    const chunks = [];
    response.on('error', reject);
    response.on('data', (chunk) => chunks.push(chunk));
    response.on('end', () => (response.statusCode < 400 ? resolve(Buffer.concat(chunks).toString()) : reject(new Error(`status ${response.statusCode}`))));
  });
  request.on('error', reject);
  request.end(content);
}));
