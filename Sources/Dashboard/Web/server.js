// Requests to the server that sent the page, and the state of the connection to it.

import { $, setText } from 'elements';

/// The path of the sandbox: the labels in the page's path.
export const base = location.pathname.replace(/\/+_mock\/*$/, '');
let token = sessionStorage.getItem('token') ?? '';

/// Sends a request with the token in UTF-8. `fetch` encodes fields as Latin-1, so each byte is one character.
function send(path, options, token) {
  const bytes = String.fromCharCode(...new TextEncoder().encode(token));
  const headers = { ...options.headers, ...(token && { Authorization: `Bearer ${bytes}` }) };
  return fetch(`${base}/_mock/${path}`, { ...options, headers, cache: 'no-store' });
}

/// The open question for the token, which all refused requests share.
let asking = null;
function askForToken() {
  asking ??= new Promise(resolve => {
    setText($('refusal'), token && 'The server refuses the token of this tab.');
    $('ask').addEventListener('close', resolve, { once: true });
    $('ask').showModal();
  }).finally(() => { asking = null; });
  return asking;
}

/// Returns the reason why a token is not accepted; empty if it is.
async function refusal(given) {
  if (!given.trim()) return 'The token is blank.';
  if (/[\0-\x08\n-\x1f\x7f]/.test(given)) return 'The token contains a control character. Remove it.';
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

export async function request(path, options = {}) {
  const reply = await send(path, options, token);
  if (reply.status === 401) {
    await askForToken();
    return request(path, options);
  }
  if (!reply.ok) {
    // The detail contains the errors.
    const { detail, errors } = await reply.json().catch(() => ({}));
    throw Object.assign(new Error(detail ?? `The server answered ${reply.status}.`), { status: reply.status, errors });
  }
  return reply;
}

export const read = async path => (await request(path)).json();
export const write = (method, path, body) =>
  request(path, { method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) });

export function warn(text) {
  $('alert').hidden = !text;
  setText($('alert'), text);
}

/// Returns a function that runs `body` once after a delay, however often it is called in the meantime. A call while `body`
/// runs is not lost: what it reads may have changed since, so it runs once more.
export function coalesced(delay, body) {
  let timer = 0;
  let isRunning = false;
  let isCalledAgain = false;
  const run = async () => {
    [timer, isRunning] = [0, true];
    try {
      await body();
    } catch (error) {
      // Without a status the server was not reached: the connection's state shows that, and everything is read again
      // after it is restored.
      if (error.status) warn(error.message);
      else if (!(error instanceof TypeError && /fetch|network/i.test(error.message))) throw error;
    } finally {
      isRunning = false;
      if (isCalledAgain) call();
    }
  };
  const call = () => {
    isCalledAgain = isRunning;
    if (!isRunning) timer ||= setTimeout(run, delay);
  };
  return call;
}

/// Runs the action of a control, and shows its error.
export async function attempt(body) {
  try {
    warn('');
    await body();
  } catch (error) {
    warn(String(error.message));
  }
}

export function showLink(state) {
  $('link').className = state;
  setText($('link').lastElementChild,
    { live: 'Live', lost: 'Disconnected, trying again', gone: 'This sandbox is gone' }[state]);
}
