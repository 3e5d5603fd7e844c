import { visible } from '../core/text';
import type { Incident } from './types';

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
