import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useValue } from '../core/value';
import { repeat } from './changes';
import { get, messageOf, NoAnswer } from './client';
import { seen } from './watch';

export interface Polled<T> {
  data: T | undefined; // what was told last, also while the connection is lost
  problem: string; // why the node refuses to tell
  reload: () => void;
}

const whileLost = 2000; // milliseconds between two tries
const rarely = 30_000; // and more: of what does not change with tasks

const unexplained = (trouble: string) => trouble.split(' (')[0];

/** The problem, unless it is said at the top of every screen while the store is away, perhaps with another reason. */
export function useUnsaid(problem: string): string {
  const said = useValue(seen)?.health.store_trouble;
  return said && unexplained(said) === unexplained(problem) ? '' : problem;
}

/**
 * Asks again `every` so many milliseconds after an answer, and sooner when tasks have changed, while the page is seen.
 * No path: nothing is asked.
 */
export function usePoll<T>(path: string | null, every: number): Polled<T> {
  const [told, setTold] = useState<{ path: string; data: T }>();
  const [problem, setProblem] = useState('');
  const again = useRef(() => {});

  useEffect(() => {
    if (path === null) return;
    const over = new AbortController();
    const ask = async () => {
      try {
        const data = await get<T>(path, over.signal);
        if (over.signal.aborted) return;
        setTold({ path, data });
        setProblem('');
      } catch (e) {
        if (over.signal.aborted) return;
        if (e instanceof NoAnswer) return Math.min(every, whileLost);
        setProblem(messageOf(e));
      }
    };
    const asking = repeat(every, ask, every < rarely);
    again.current = asking.now;
    return () => {
      over.abort();
      asking.end();
    };
  }, [path, every]);

  const reload = useCallback(() => again.current(), []);
  return { data: told && told.path === path ? told.data : undefined, problem: useUnsaid(problem), reload };
}
