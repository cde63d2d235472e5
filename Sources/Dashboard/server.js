// How the page speaks to the server it came from, and knows whether it is there.

/// What leads to the sandbox: labels in the path stay in front.
const base = location.pathname.replace(/\/+_mock\/*$/, '');
let token = sessionStorage.getItem('token') ?? '';

/// Asks for the token, once however many requests were refused.
let asking = null;
function askForToken() {
  asking ??= new Promise(resolve => {
    $('ask').addEventListener('close', () => {
      token = $('token').value;
      sessionStorage.setItem('token', token);
      asking = null;
      resolve();
    }, { once: true });
    $('ask').showModal();
  });
  return asking;
}

async function ask(path, options = {}) {
  const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const reply = await fetch(`${base}/_mock/${path}`, { ...options, headers, cache: 'no-store' });
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
