import { Value } from './value';

// The screen and its filters are in the address, behind the #: /#/tasks?states=error&workflow=order

export interface Place {
  path: string[]; // decoded
  query: URLSearchParams;
}

function read(): Place {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  return { path: path.split('/').filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const place = new Value<Place>(read());
addEventListener('hashchange', () => place.set(read()));

type Query = Record<string, string | number | undefined>;

export function href(path: (string | number)[], query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') params.set(name, `${value}`);
  const text = params.toString();
  return '#/' + path.map(part => encodeURIComponent(part)).join('/') + (text && `?${text}`);
}

export function go(to: string): void {
  location.hash = to;
}

/** Changes the address without a new entry in the history, as while somebody types. */
export function replaceQuery(query: URLSearchParams): void {
  const text = query.toString();
  const path = place.get().path.map(encodeURIComponent).join('/');
  history.replaceState(null, '', `#/${path}${text && `?${text}`}`);
  place.set(read());
}
