// How the page speaks to the server it came from, and knows whether it is there.

/// What leads to the sandbox: labels in the path stay in front.
const base = location.pathname.replace(/\/+_mock\/*$/, '');
let token = sessionStorage.getItem('token') ?? '';

/// Sends a request with a token as the server was given it: in UTF-8, a byte for each character of the field.
function send(path, options, token) {
  const bytes = String.fromCharCode(...new TextEncoder().encode(token));
  const headers = { ...options.headers, ...(token && { Authorization: `Bearer ${bytes}` }) };
  return fetch(`${base}/_mock/${path}`, { ...options, headers, cache: 'no-store' });
}

/// Asks for the token until the server takes one, once however many requests were refused.
let asking = null;
function askForToken() {
  asking ??= new Promise(resolve => {
    setText($('refusal'), token && 'The server does not take the token that this tab has.');
    $('ask').addEventListener('close', resolve, { once: true });
    $('ask').showModal();
  }).finally(() => { asking = null; });
  return asking;
}

/// Why a token is none, or is not this server's; nothing if it is.
async function refusal(given) {
  if (!given.trim()) return 'A token is more than blanks.';
  if (/[\0-\x08\n-\x1f\x7f]/.test(given)) return 'This holds a control character, which no token can.';
  try {
    const { ok, status } = await send('clock', {}, given);
    return ok ? '' : status === 401 ? 'The server refused this token.' : `The server answered ${status}.`;
  } catch {
    return 'The server was not reached. Try again.';
  }
}

$('ask').addEventListener('submit', async event => {
  event.preventDefault();
  const given = $('token').value;
  const reason = await refusal(given);
  setText($('refusal'), reason);
  if (reason) return $('token').select();
  token = given;
  sessionStorage.setItem('token', token);
  $('ask').close();
});

async function ask(path, options = {}) {
  const reply = await send(path, options, token);
  if (reply.status === 401) {
    await askForToken();
    return ask(path, options);
  }
  if (!reply.ok) {
    const problem = await reply.json().catch(() => ({}));
    const places = (problem.errors ?? []).map(error => `${error.pointer}: ${error.detail}`);
    const text = [problem.detail ?? `The server answered ${reply.status}.`, ...places].join(' ');
    throw Object.assign(new Error(text), { status: reply.status });
  }
  return reply;
}

const read = async path => (await ask(path)).json();
const write = (method, path, body) =>
  ask(path, { method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) });

function warn(text) {
  $('alert').hidden = !text;
  setText($('alert'), text);
}

/// Does what a control asks for, and says what came of it if it went wrong.
async function attempt(body) {
  try {
    warn('');
    await body();
  } catch (error) {
    warn(String(error.message));
  }
}

function showLink(state) {
  $('link').className = state;
  setText($('link').lastElementChild,
    { live: 'Live', lost: 'Disconnected, trying again', gone: 'This sandbox is gone' }[state]);
}
