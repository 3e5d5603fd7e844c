import { useValue, Value } from '../core/value';
import { counted } from '../core/text';
import { repeat } from './changes';
import { get, messageOf, NoAnswer, Problem, segment, theToken, wake } from './client';
import { untold, type Agent, type Counts, type Health, type Me, type ProcessState } from './types';
import type { Silent, StoreStats, ToldAgents } from './types';

// What every screen shows the outline of, and the first one all: asked for once, for all of them.

export interface Seen {
  at: number;
  health: Health;
  store: StoreStats | undefined; // not there: the store cannot be asked
  agents: Agent[];
  silent: Silent[];
  own: Own | undefined; // what a token sees that is limited to some workflows: then there is nothing else
}

export interface Own {
  workflows: string[];
  isByRole: boolean; // it sees the questions to its roles and nothing else
  counts: { workflow: string; states: Partial<Record<ProcessState, number>> }[];
  causes: { workflow: string; cause: string | null; count: number; since: string }[];
}

/** A moment in the drawn lines: numbers a second since the one before, and milliseconds. */
export interface Sample {
  at: number;
  submitted: number;
  processed: number;
  undone: number;
  error: number;
  p50: number | null;
  p99: number | null;
}

export const seen = new Value<Seen | undefined>(undefined);
export const samples = new Value<Sample[]>([]);
/** Why the node does not tell how it is. */
export const watchProblem = new Value('');

const every = 2000;
const waitsAge = 10_000; // milliseconds; for them all unfinished tasks are read
const samplesMax = 150;

const me = new Value<{ token: string | null; told: Me } | undefined>(undefined);

async function whoAmI(): Promise<Me> {
  const token = theToken();
  if (me.get()?.token !== token) me.set({ token, told: await get<Me>('/v1/me') });
  return me.get()!.told;
}

/** Whether whoever looks may do what needs this scope; what is not allowed is not offered. */
export function useMay(scope: 'operate' | 'admin'): boolean {
  const scopes = useValue(me)?.told.scopes ?? [];
  return scopes.includes(scope) || scopes.includes('admin');
}

/** Of a question: whether whoever looks may answer it, by the role to which it goes. */
export function useMayAnswer(): (role: string) => boolean {
  const roles = useValue(me)?.told.roles ?? [];
  const mayAct = useMay('operate');
  return role => mayAct || roles.includes(role);
}

async function look(): Promise<void> {
  const { workflows, scopes, roles } = await whoAmI();
  if (roles.length > 0 && !scopes.some(s => s !== 'submit')) return lookAtQuestions(workflows);
  if (workflows.length > 0) return lookAtOwn(workflows);
  const [health, store, told] = await Promise.all([
    get<Health>(`/v1/health?max_age_ms=${waitsAge}`),
    get<StoreStats>('/v1/store').catch(noneIfBusy),
    get<ToldAgents>('/v1/agents').catch(noneIfBusy),
  ]);
  const agents = (told?.agents ?? []).map(a => ({ ...untold, ...a }));
  tell(health, store, agents, told?.silent_nodes ?? []);
}

/** The store cannot be asked: the health says so. */
function noneIfBusy(e: unknown): undefined {
  if (e instanceof Problem && e.status >= 500) return undefined;
  throw e;
}

/** For whom there is nothing but questions. */
async function lookAtQuestions(workflows: string[]): Promise<void> {
  const pages = await Promise.all(
    (workflows.length > 0 ? workflows : ['']).map(w =>
      get<{ approvals: unknown[] }>(`/v1/approvals${w && `?workflow=${segment(w)}`}`),
    ),
  );
  const asked = pages.reduce((sum, p) => sum + p.approvals.length, 0);
  const sentence = asked === 0 ? 'No question waits for you.' : `${counted(asked, 'question')} to your roles.`;
  tellOwn(asked === 0, sentence, { workflows, isByRole: true, counts: [], causes: [] });
}

async function lookAtOwn(workflows: string[]): Promise<void> {
  const ask = (by: string, workflow: string, more = '') =>
    get<Counts>(`/v1/counts?by=${by}&workflow=${segment(workflow)}${more}`);
  const counts = await Promise.all(
    workflows.map(async workflow => {
      const { groups } = await ask('workflow', workflow);
      return { workflow, states: groups?.[0]?.states ?? {} };
    }),
  );
  const causes = await Promise.all(
    workflows.map(async workflow => {
      const { groups } = await ask('cause', workflow, '&states=error');
      return (groups ?? []).map(g => ({ workflow, cause: g.group, count: g.count, since: g.oldest }));
    }),
  );
  const inError = counts.reduce((sum, c) => sum + (c.states.error ?? 0), 0);
  const sentence = inError === 0 ? 'No task that you may see is in error.' : `${counted(inError, 'task')} in error.`;
  tellOwn(inError === 0, sentence, { workflows, isByRole: false, counts, causes: causes.flat() });
}

function tellOwn(well: boolean, sentence: string, own: Own): void {
  const health: Health = {
    ...{ well, sentence, incidents: [], more_incidents: false, nodes: [], store_trouble: null },
    ...{ stuck: [], waits: [], scheduler_trouble: null },
  };
  seen.set({ at: Date.now(), health, store: undefined, agents: [], silent: [], own });
  watchProblem.set('');
}

function tell(health: Health, store: StoreStats | undefined, agents: Agent[], silent: Silent[]): void {
  const before = seen.get();
  const at = Date.now();
  if (store && before?.store) addSample(before.store, store, at, (at - before.at) / 1000, agents);
  seen.set({ at, health, store, agents, silent, own: undefined });
  watchProblem.set('');
}

function addSample(before: StoreStats, now: StoreStats, at: number, seconds: number, agents: Agent[]): void {
  if (seconds <= 0) return;
  const rate = (grown: number) => Math.max(0, grown) / seconds;
  const grown = (state: 'processed' | 'undone' | 'error') => now.tasks[state] - before.tasks[state];
  const busy = agents.filter(a => callsOf(a) > 0);
  const sample: Sample = {
    at,
    submitted: rate(now.last_number - before.last_number),
    // What retention removed meanwhile had ended well, nearly all of it processed.
    processed: rate(grown('processed') + now.tasks_purged - before.tasks_purged),
    undone: rate(grown('undone')),
    error: rate(grown('error')),
    p50: busy.length === 0 ? null : medianOf(busy),
    p99: busy.length === 0 ? null : Math.max(...busy.map(a => a.p99_ms)),
  };
  samples.set([...samples.get(), sample].slice(-samplesMax));
}

/** Calls that ended in the last five minutes. */
export function callsOf(a: Agent): number {
  return a.lately_succeeded + a.lately_refused + a.lately_failed;
}

/** Of the agents, each with the weight of its calls. */
function medianOf(agents: Agent[]): number {
  const byTime = [...agents].sort((a, b) => a.p50_ms - b.p50_ms);
  let left = byTime.reduce((sum, a) => sum + callsOf(a), 0) / 2;
  for (const a of byTime) {
    left -= callsOf(a);
    if (left <= 0) return a.p50_ms;
  }
  return 0;
}

export function startWatching(): void {
  document.addEventListener('visibilitychange', () => document.hidden || wake());
  repeat(every, async () => {
    try {
      await look();
    } catch (e) {
      if (!(e instanceof NoAnswer)) watchProblem.set(messageOf(e));
    }
  });
}
