import { Value } from '../core/value';
import { awakened, get, messageOf, NoAnswer } from './client';
import { healthOf, type Health } from './health';
import type { Agent, Incident, NodeList, Silent, Standstill, StoreStats } from './types';

// What every screen shows the outline of, and the first one all: asked for once, for all of them.

export interface Seen {
  at: number;
  store: StoreStats | undefined; // not there: the store cannot be asked
  incidents: Incident[];
  moreIncidents: boolean;
  nodes: NodeList;
  agents: Agent[];
  silent: Silent[];
  standstill: Standstill | undefined;
  health: Health;
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
const standstillEvery = 10_000; // it reads all unfinished tasks
const samplesMax = 150;

let standstill: { at: number; told: Standstill } | undefined;

async function look(): Promise<void> {
  const nodes = await get<NodeList>('/v1/nodes');
  const agents = get<{ agents: Agent[]; silent_nodes: Silent[] }>('/v1/agents');
  if (nodes.store_trouble !== null && !(await answers(get('/v1/store')))) {
    const told = await agents.catch(() => ({ agents: [], silent_nodes: [] }));
    tell({ nodes, ...told, store: undefined, incidents: [], next: null });
    return;
  }
  const [store, page, told] = await Promise.all([
    get<StoreStats>('/v1/store'),
    get<{ incidents: Incident[]; next: number | null }>('/v1/incidents?max=200'),
    agents,
  ]);
  if (!standstill || Date.now() - standstill.at > standstillEvery)
    standstill = { told: await get<Standstill>('/v1/stuck'), at: Date.now() };
  tell({ nodes, ...told, ...page, store });
}

async function answers(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch {
    return false;
  }
}

interface Told {
  nodes: NodeList;
  agents: Agent[];
  silent_nodes: Silent[];
  store: StoreStats | undefined;
  incidents: Incident[];
  next: number | null;
}

function tell(t: Told): void {
  const before = seen.get();
  const at = Date.now();
  const more = t.next !== null;
  const still = t.store ? standstill?.told : undefined;
  if (t.store && before?.store) addSample(before.store, t.store, at, (at - before.at) / 1000, t.agents);
  seen.set({
    at,
    store: t.store,
    incidents: t.incidents,
    moreIncidents: more,
    nodes: t.nodes,
    agents: t.agents,
    silent: t.silent_nodes,
    standstill: still,
    health: healthOf(t.incidents, more, t.nodes, still),
  });
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
  let timer: number | undefined;
  let asking = false;
  const round = async () => {
    clearTimeout(timer);
    if (asking) return;
    asking = true;
    try {
      if (!document.hidden) await look();
    } catch (e) {
      if (!(e instanceof NoAnswer)) watchProblem.set(messageOf(e));
    }
    asking = false;
    timer = setTimeout(() => void round(), every);
  };
  awakened.watch(() => void round());
  void round();
}
