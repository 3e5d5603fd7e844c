// How moments, spans, numbers and texts of others are written.

const two = (n: number) => `${n}`.padStart(2, '0');

/** "02:14:05" today, else with the date; in the time of whoever looks. */
export function clock(at: string | number | null | undefined): string {
  if (at === null || at === undefined) return '';
  const d = new Date(at);
  const time = `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
  if (d.toDateString() === new Date().toDateString()) return time;
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${time}`;
}

/** "350 ms", "2.4 s", "12 min", "3 h 20 min", "2 d 4 h"; "12 min 30 s", too, `withSeconds` */
export function span(ms: number, withSeconds = false): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min` + (withSeconds && seconds % 60 ? ` ${seconds % 60} s` : '');
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h` + (minutes % 60 ? ` ${minutes % 60} min` : '');
  return `${Math.floor(hours / 24)} d` + (hours % 24 ? ` ${hours % 24} h` : '');
}

export function since(at: string | null | undefined): string {
  return at ? span(Date.now() - Date.parse(at)) : '';
}

export function counted(n: number, thing: string): string {
  return `${number(n)} ${thing}${n === 1 ? '' : 's'}`;
}

export function number(n: number): string {
  return n.toLocaleString('en-GB');
}

export function bytes(n: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (n >= 1024 && unit < units.length - 1) {
    n /= 1024;
    unit += 1;
  }
  return `${n >= 10 || unit === 0 ? Math.round(n) : n.toFixed(1)} ${units[unit]}`;
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${Math.floor((part * 100) / whole)} %`;
}

// Control characters, and those that turn the direction of a text.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** With characters that cannot be seen as \xNN. */
export function visible(text: string): string {
  return text.replace(hidden, c => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

export function words(name: string): string {
  return name.replaceAll('_', ' ');
}
