import { visible } from './text';

// JSON that keeps the digits of its numbers: 1.10 and 123456789012345678901234567890 come out as they went in.

/** A number that a JavaScript number would write in another way. */
export class ExactNumber {
  constructor(readonly text: string) {}
}

const token =
  /\s*(?:([{}[\]:,])|("(?:[^"\\\0-\x1f]|\\.)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  whole(): unknown {
    const value = this.value(this.next());
    if (this.text.slice(this.at).trim() !== '') this.fail();
    return value;
  }

  private next(): string {
    token.lastIndex = this.at;
    const found = token.exec(this.text);
    if (!found) this.fail();
    this.at = token.lastIndex;
    return found[0].trim();
  }

  private fail(): never {
    const before = this.text.slice(0, this.at).split('\n');
    throw new SyntaxError(`not JSON in line ${before.length}, after column ${before.at(-1)!.length}`);
  }

  private value(first: string): unknown {
    if (first === '{') return this.object();
    if (first === '[') return this.list();
    if (/^[\]}:,]$/.test(first)) this.fail();
    const value: unknown = JSON.parse(first);
    return typeof value === 'number' && `${value}` !== first ? new ExactNumber(first) : value;
  }

  private list(): unknown[] {
    const all: unknown[] = [];
    let t = this.next();
    if (t === ']') return all;
    for (;;) {
      all.push(this.value(t));
      t = this.next();
      if (t === ']') return all;
      if (t !== ',') this.fail();
      t = this.next();
    }
  }

  private object(): Record<string, unknown> {
    const all: [string, unknown][] = [];
    let t = this.next();
    while (t !== '}') {
      if (!t.startsWith('"') || this.next() !== ':') this.fail();
      all.push([JSON.parse(t) as string, this.value(this.next())]);
      t = this.next();
      if (t === '}') break;
      if (t !== ',') this.fail();
      t = this.next();
      if (t === '}') this.fail();
    }
    return Object.fromEntries(all);
  }
}

/** Throws a SyntaxError that says where. */
export function parseExact(text: string): unknown {
  return new Reader(text).whole();
}

/** Indented; what cannot be seen is escaped. */
export function pretty(value: unknown, indent = ''): string {
  const deeper = indent + '  ';
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map(v => deeper + pretty(v, deeper)).join(',\n')}\n${indent}]`;
  }
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value);
    if (members.length === 0) return '{}';
    return `{\n${members.map(([k, v]) => `${deeper}${quoted(k)}: ${pretty(v, deeper)}`).join(',\n')}\n${indent}}`;
  }
  return typeof value === 'string' ? quoted(value) : `${value as boolean | number | null}`;
}

function quoted(text: string): string {
  return visible(JSON.stringify(text)).replace(/\\x([0-9a-f]+)/g, (_, hex: string) => `\\u${hex.padStart(4, '0')}`);
}
