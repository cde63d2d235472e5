// Durations, numbers and dates as text.

const units = { us: 1e-3, ms: 1, s: 1e3, m: 6e4, h: 36e5 };

/// Parses a duration, and returns milliseconds.
export function milliseconds(text) {
  const parts = /^([\d.]+)(us|ms|s|m|h)$/.exec(text ?? '');
  return parts ? parts[1] * units[parts[2]] : 0;
}

/// Formats milliseconds with three significant digits and a unit.
export function durationText(ms) {
  if (ms === 0) return '0';
  const [value, unit] = ms < 1 ? [ms * 1e3, 'µs'] : ms < 1e3 ? [ms, 'ms'] : ms < 6e4 ? [ms / 1e3, 's'] : [ms / 6e4, 'min'];
  return `${value >= 100 ? Math.round(value) : +value.toPrecision(3)} ${unit}`;
}

export const number = new Intl.NumberFormat('en');
export const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
/// Formats the time of a request with milliseconds, because two may arrive in the same second.
export const instant = new Intl.DateTimeFormat('en-GB',
  { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 });
export const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
/// Returns a number with its noun, in the plural unless the number is 1.
export const counted = (n, noun) => `${number.format(n)} ${noun}${n === 1 ? '' : 's'}`;
export const dateText = (format, date) => isNaN(date) ? 'an unknown date' : format.format(date);
