// The filters of the list of tasks, as they are in the address, in a query of the node, and in words.

export const plainFilters = ['workflow', 'agent', 'step', 'cause', 'text', 'locked_by'] as const;
const momentFilters = ['submitted_after', 'submitted_before', 'ended_after', 'ended_before'] as const;

/** Of a GET. Times in the address are local, as people write them: 2026-11-24T02:14. */
export function queryOf(filter: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams();
  const states = filter.get('states');
  if (states) query.set('states', states);
  for (const name of plainFilters) if (filter.get(name)) query.set(name, filter.get(name)!);
  for (const name of momentFilters) {
    const at = Date.parse(filter.get(name) ?? '');
    if (!Number.isNaN(at)) query.set(`${name}_ms`, `${at}`);
  }
  const place = filter.get('place');
  if (place && filter.get('value')) query.set(`payload:${place}`, filter.get('value')!);
  return query;
}

/** Of a POST. */
export function bodyOf(filter: URLSearchParams): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, text] of queryOf(filter))
    if (name === 'states') body[name] = text.split(',');
    else if (name.startsWith('payload:')) body.payload = { [name.slice(8)]: text };
    else body[name] = name.endsWith('_ms') ? Number(text) : text;
  return body;
}

/** As `--where` of the commands has it. */
export function wordsOf(filter: URLSearchParams): string {
  const all: string[] = [];
  for (const [name, text] of filter) {
    if (text === '' || ['by', 'sort', 'reverse', 'value'].includes(name)) continue;
    if (name === 'place') all.push(`payload:${text}=${filter.get('value') ?? ''}`);
    else all.push(`${name === 'states' ? 'state' : name}=${text}`);
  }
  return all.join(' ') || 'all tasks';
}

/** The conditions of a bulk act in the same words, also of one whose client gave the conditions alone. */
export function whereInWords(where: string): string {
  if (!where.startsWith('{')) return where || 'all tasks';
  try {
    const all = Object.entries(JSON.parse(where) as Record<string, unknown>).flatMap(([name, value]) => {
      if (name === 'payload')
        return Object.entries(value as Record<string, unknown>).map(([at, v]) => `payload:${at}=${v as string}`);
      if (name.endsWith('_ms')) return `${name.slice(0, -3)}=${new Date(value as number).toISOString()}`;
      return `${name === 'states' ? 'state' : name}=${value as string}`;
    });
    return all.join(' ') || 'all tasks';
  } catch {
    return where;
  }
}
