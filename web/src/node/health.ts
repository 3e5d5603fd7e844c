import { clock, counted, span, visible } from '../core/text';
import type { ClusterNode, Incident, NodeList, Standstill } from './types';

// The first sentence, in the words of `steadfast status`.

export interface Health {
  isWell: boolean;
  sentence: string;
  wait: string; // the oldest one, where it is worth telling
}

const namedMax = 3;
const waitWorthTelling = 60_000;
const causeLength = 60;

export function isMuted(x: Incident): boolean {
  return x.muted && (x.muted_until === null || Date.parse(x.muted_until) > Date.now());
}

/** Whether somebody should look at it. */
export function counts(x: Incident): boolean {
  return x.closed_at === null && !isMuted(x);
}

/** Open ones that are not muted come first, those with the most tasks before the others. */
export function sorted(incidents: Incident[]): Incident[] {
  return [...incidents].sort((a, b) => Number(counts(b)) - Number(counts(a)) || b.tasks - a.tasks);
}

/** Of a condition in its present words, else the cause that its alerts share. */
export function causeOf(x: Incident): string {
  return visible(x.is_condition ? x.sample_text.split(';')[0]! : x.cause || x.sample_text);
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function incidentWords(x: Incident): string {
  const since = `since ${clock(x.first_at) || 'a start'}`; // without a clock: told while a store was opened
  if (x.is_condition) return `${cut(causeOf(x), causeLength + 20)} ${since}`;
  const tasks = x.tasks === 0 ? '' : ` (${counted(x.tasks, 'task')})`;
  return `${visible(x.agent || x.kind)}: ${cut(causeOf(x), causeLength)} ${since}${tasks}`;
}

function isLost(n: ClusterNode, incidents: Incident[]): boolean {
  if (n.state !== 'silent' && !(n.state === 'gone' && n.expires_at !== null && !n.drained)) return false;
  return !incidents.some(x => x.closed_at === null && x.kind === 'node_lost' && x.cause.includes(`\`${n.name}\``));
}

function drainedWords(nodes: ClusterNode[]): string {
  const schedulers = nodes.filter(n => n.alive && n.roles.includes('scheduler'));
  if (schedulers.length === 0 || schedulers.some(n => n.state !== 'drained')) return '';
  return `no node takes tasks until one is restarted; drained: ${schedulers.map(n => `node ${n.name}`).join(', ')}`;
}

function waitWords(standstill: Standstill | undefined): string {
  const oldest = standstill?.waits.filter(w => w.since !== null).sort((a, b) => (a.since! < b.since! ? -1 : 1))[0];
  if (!oldest) return '';
  const waited = Date.now() - Date.parse(oldest.since!);
  return waited < waitWorthTelling ? '' : `Oldest wait ${span(waited)} (${visible(oldest.longest)}).`;
}

export function healthOf(
  incidents: Incident[],
  more: boolean,
  listed: NodeList,
  standstill: Standstill | undefined,
): Health {
  const wrong: string[] = [];
  if (listed.store_trouble !== null) wrong.push(visible(listed.store_trouble));
  const counting = sorted(incidents).filter(counts);
  if (counting.length > 0) {
    const rest = counting.length > namedMax ? `; and ${counting.length - namedMax} more` : '';
    const named = counting.slice(0, namedMax).map(incidentWords).join('; ');
    wrong.push(`${more ? 'more than ' : ''}${counted(counting.length, 'incident')}: ${named}${rest}`);
  }
  const lost = listed.nodes.filter(n => isLost(n, incidents));
  if (lost.length > 0)
    wrong.push(
      lost
        .map(n => `node ${visible(n.name)} ${n.state}${n.state === 'gone' ? ` since ${clock(n.expires_at)}` : ''}`)
        .join(', '),
    );
  const drained = drainedWords(listed.nodes);
  if (drained) wrong.push(drained);
  const alive = listed.nodes.filter(n => n.alive).length;
  if (alive === 0 && listed.store_trouble === null) wrong.push('no node has its lease, so none takes tasks');
  if (standstill && standstill.stuck.length > 0) wrong.push(`${counted(standstill.stuck.length, 'task')} stuck`);
  const wait = waitWords(standstill);
  if (wrong.length > 0) return { isWell: false, sentence: `${wrong.map(capital).join('. ')}.`, wait };
  const muted = incidents.filter(x => x.closed_at === null && isMuted(x)).length;
  const but = muted === 0 ? '' : ` but ${muted} muted`;
  return {
    isWell: true,
    sentence: `All is well: no incident${but}, ${alive} of ${counted(listed.nodes.length, 'node')} alive.`,
    wait,
  };
}
