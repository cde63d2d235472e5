// The `Prefer` field that asks for the faults of a plan again.

/// Quotes a value that is no token (RFC 7240 section 2).
const value = text => /^[\w!#$%&'*+.^`|~-]+$/.test(text) ? text : `"${String(text).replace(/["\\]/g, '\\$&')}"`;
const parameters = entries => entries.filter(([, given]) => given !== undefined).map(([name, given]) => `; ${name}=${value(given)}`).join('');

/// Returns a preference for one effect of a plan; nothing for one that only a rule can have.
function preference({ effect, phase }) {
  const { fault, status, latency, retryAfter, retryAfterDate, body, ...others } = effect;
  const phased = [['phase', phase]];
  if (fault) return `fault=${fault}${parameters([...Object.entries(others), ...phased])}`;
  if (status) return `status=${status}${parameters([['retryAfter', retryAfter], ...phased])}`;
  if (latency) return `latency=${value(latency)}${parameters(phased)}`;
  return null;
}

/// The faults that draw what they do to the bytes from the seed and the number of the request.
const drawn = new Set(['drift', 'corrupt', 'garbage', 'bad-chunk']);

/// Returns what `Prefer` cannot carry of an effect, as sentences.
function losses({ effect }) {
  return [
    !preference({ effect }) && `It does not repeat the ${Object.keys(effect)[0]}.`,
    effect.body !== undefined && 'It does not repeat the body of the rule.',
    effect.retryAfterDate && 'Retry-After is in seconds instead of a date.',
  ];
}

/// Returns the value of `Prefer` with which a request gets the faults of a plan, null if it asked for them itself or there
/// are none; and sentences that say in what the repetition differs.
export function repetition(entry) {
  const asked = Object.entries(entry.request.headers).some(([name, text]) =>
    name.toLowerCase() === 'prefer' && /\b(fault|status|code|latency|delay)\s*=/i.test(text));
  const effects = entry.plan?.effects ?? [];
  const found = asked ? [] : effects.map(preference).filter(Boolean);
  const differences = [...(asked ? [] : effects.flatMap(losses)),
    ...effects.map(({ effect }) => drawn.has(effect.fault) && `What ${effect.fault} changes is drawn anew for each request.`)];
  return { prefer: found.length ? found.join(', ') : null, differences: differences.filter(Boolean) };
}
