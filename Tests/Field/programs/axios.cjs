// axios, whose adapter in Node is the module http.
const axios = require('axios');
const { walk } = require('./walk.cjs');

walk(async (method, url, data, headers) => (await axios.request({ method, url, data, headers, responseType: 'text', transformResponse: [] })).data);
