import { parseExact } from '../core/exact';
import { Value } from '../core/value';

/** The node answered, and said no. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
  ) {
    super(detail);
  }
}

/** There was no answer. */
export class NoAnswer extends Error {}

/** Null: the node answers. */
export const lostSince = new Value<number | null>(null);
/** Why the node asks for a token; null: it does not. */
export const tokenWanted = new Value<string | null>(null);
/** Grows whenever everything should be asked for again at once. */
export const awakened = new Value(0);

const tokenKey = 'steadfast.token';
const whoKey = 'steadfast.who';
const answerWithin = 8000; // milliseconds

export function wake(): void {
  awakened.set(awakened.get() + 1);
}

/** It is forgotten with the tab. */
export function takeToken(token: string): void {
  if (token) sessionStorage.setItem(tokenKey, token);
  else sessionStorage.removeItem(tokenKey);
  tokenWanted.set(null);
  wake();
}

export function theToken(): string | null {
  return sessionStorage.getItem(tokenKey);
}

/** Whose acts these are. A node with tokens adds the name of the token by itself. */
export function whoActs(): string {
  return localStorage.getItem(whoKey) ?? '';
}

export function rememberWho(name: string): void {
  localStorage.setItem(whoKey, name);
}

function noteLost(): void {
  if (lostSince.get() === null) lostSince.set(Date.now());
}

function noteAnswer(): void {
  if (lostSince.get() === null) return;
  lostSince.set(null);
  wake();
}

/** Throws NoAnswer or Problem; what the node did not understand is a Problem too. */
export async function send(
  method: 'GET' | 'POST',
  path: string,
  body?: string,
  more: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(more.headers);
  const token = sessionStorage.getItem(tokenKey);
  if (token) headers.set('Authorization', `Bearer ${token}`);
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  let response: Response;
  try {
    response = await fetch(path, { ...more, method, headers, body: body ?? null });
  } catch (e) {
    if (more.signal?.aborted) throw e;
    noteLost();
    throw new NoAnswer('the node does not answer');
  }
  noteAnswer();
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (response.status === 401) tokenWanted.set(problem.message);
  throw problem;
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const told = (await response.json()) as { code?: string; detail?: string; title?: string };
    return new Problem(response.status, told.code ?? '', told.detail ?? told.title ?? response.statusText);
  } catch {
    return new Problem(response.status, '', `status ${response.status} ${response.statusText}`);
  }
}

/** A node whose store is frozen answers late, and lives. */
async function isLive(): Promise<boolean> {
  try {
    return (await fetch('/health/live', { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}

async function exchange(method: 'GET' | 'POST', path: string, body?: string, over?: AbortSignal): Promise<string> {
  const limit = new AbortController();
  over?.addEventListener('abort', () => limit.abort(), { signal: limit.signal });
  const timer = setTimeout(() => limit.abort(), answerWithin);
  try {
    return await (await send(method, path, body, { signal: limit.signal })).text();
  } catch (e) {
    if (!limit.signal.aborted || over?.aborted) throw e;
    if (await isLive())
      throw new Problem(504, 'slow', `the node lives, but gave no answer in ${answerWithin / 1000} s`);
    noteLost();
    throw new NoAnswer('the node does not answer');
  } finally {
    clearTimeout(timer);
  }
}

/** When nobody waits for the answer any more, `over` frees its connection, of which a browser has six. */
export async function get<T>(path: string, over?: AbortSignal): Promise<T> {
  return JSON.parse(await exchange('GET', path, undefined, over)) as T;
}

/** With the digits of numbers kept, as ExactNumber where that is needed: for payloads and results. */
export async function getExact<T>(path: string): Promise<T> {
  return parseExact(await exchange('GET', path)) as T;
}

export async function post<T>(path: string, body: Record<string, unknown>): Promise<T> {
  try {
    return JSON.parse(await exchange('POST', path, JSON.stringify(body))) as T;
  } catch (e) {
    if (!(e instanceof NoAnswer)) throw e;
    throw new NoAnswer('the node gave no answer, so it may have been done or not: look before you try again');
  }
}

export function segment(text: string | number): string {
  return encodeURIComponent(text);
}

export function messageOf(e: unknown): string {
  return e instanceof Error ? e.message : `${e as string}`;
}
