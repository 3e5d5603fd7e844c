import { visible } from '../core/text';
import type { Agent, Incident, Silent } from './types';
import { callsOf } from './watch';

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

/** Open or silent circuits count most, then the share of calls that did not succeed, in percent. */
function badness(a: Agent): number {
  const calls = callsOf(a);
  return (
    (a.circuit !== 'closed' || !a.answers ? 200 : 0) + (calls ? Math.ceil(100 - (100 * a.lately_succeeded) / calls) : 0)
  );
}

export function worstOf(agents: Agent[]): Agent {
  return agents.reduce((worst, a) => (badness(a) > badness(worst) ? a : worst));
}

/**
 * Each agent on all its nodes; those in trouble come first. Otherwise they keep their order while calls are made, so
 * that a line stays where somebody is about to press its button.
 */
export function byTrouble(agents: Agent[]): Agent[][] {
  const byName = new Map<string, Agent[]>();
  for (const a of agents) byName.set(a.name, [...(byName.get(a.name) ?? []), a]);
  const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return [...byName.values()]
    .map(all => all.sort((a, b) => inOrder(a.node, b.node)))
    .sort((a, b) => badness(worstOf(b)) - badness(worstOf(a)) || inOrder(a[0]!.name, b[0]!.name));
}

/** Without a name where it is not known which nodes there are. */
export function aboutSilent(s: Silent): string {
  return s.node ? `Node ${s.node}: ${s.why}` : s.why;
}

/** Of a condition in its present words, else the cause that its alerts share. */
export function causeOf(x: Incident): string {
  return visible(x.is_condition ? x.sample_text.split(';')[0]! : x.cause || x.sample_text);
}
