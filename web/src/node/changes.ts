import { useEffect } from 'preact/hooks';
import { Value } from '../core/value';
import { awakened } from './client';
import { listen } from './stream';

/** Grows when tasks have changed, at most once a second, while a screen is shown that follows them. */
export const changed = new Value(0);

/**
 * Of the events of all tasks only that there is one is wanted: it ends the stream, and the next one begins a second
 * after it at the earliest. So a busy store costs the page no more than a question a second.
 */
export function useChanges(): void {
  useEffect(() => {
    const tell = () => changed.set(changed.get() + 1);
    return listen('/v1/events', { opened: tell, event: () => 'enough', refused: () => {} });
  }, []);
}

const pace = 1000; // milliseconds, the least between two questions because of a change
const share = 10; // of the time that a question takes is left between two of them

/**
 * Calls `ask`, which does not throw, again: `every` milliseconds after its end, or as many as it returns; sooner
 * when tasks have changed, if `follows`; at once by `now` and when the page wakes. Not while the page is hidden.
 */
export function repeat(every: number, ask: () => Promise<number | void>, follows = true) {
  let timer: number | undefined;
  let isOver = false;
  let isAsking = false;
  let isOld = false; // tasks have changed since it was asked
  let [begun, took, due] = [0, 0, 0];
  const at = (moment: number) => {
    clearTimeout(timer);
    due = moment;
    timer = setTimeout(now, Math.max(0, moment - Date.now()));
  };
  const round = async () => {
    clearTimeout(timer);
    isAsking = true;
    isOld = false;
    begun = Date.now();
    const next = document.hidden ? every : ((await ask()) ?? every);
    isAsking = false;
    took = Date.now() - begun;
    if (isOver) return;
    at(Date.now() + next);
    if (isOld) hurry();
  };
  const now = () => {
    if (!isAsking) void round();
  };
  const hurry = () => {
    isOld = true;
    const soonest = begun + Math.max(pace, share * took);
    if (!isAsking && soonest < due) at(soonest);
  };
  const quiet = [awakened.watch(now), follows ? changed.watch(hurry) : () => {}];
  now();
  const end = () => {
    isOver = true;
    clearTimeout(timer);
    for (const q of quiet) q();
  };
  return { now, end };
}
