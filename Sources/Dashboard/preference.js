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

/// Returns the value of `Prefer` with which a request gets the faults of a plan; null if it asked for them itself, or if
/// there are none.
export function preferences(entry) {
  const asked = Object.entries(entry.request.headers).some(([name, text]) =>
    name.toLowerCase() === 'prefer' && /\b(fault|status|code|latency|delay)\s*=/i.test(text));
  const found = asked ? [] : (entry.plan?.effects ?? []).map(preference).filter(Boolean);
  return found.length ? found.join(', ') : null;
}
