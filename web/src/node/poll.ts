import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { awakened, get, messageOf, NoAnswer } from './client';

export interface Polled<T> {
  data: T | undefined; // what was told last, also while the connection is lost
  problem: string; // why the node refuses to tell
  reload: () => void;
}

const whileLost = 2000; // milliseconds between two tries

/** Asks again `every` so many milliseconds after an answer, while the page is seen. No path: nothing is asked. */
export function usePoll<T>(path: string | null, every: number): Polled<T> {
  const [told, setTold] = useState<{ path: string; data: T }>();
  const [problem, setProblem] = useState('');
  const again = useRef(() => {});

  useEffect(() => {
    if (path === null) return;
    let over = false;
    let asking = false;
    let timer: number | undefined;
    const ask = async () => {
      clearTimeout(timer);
      if (asking) return;
      asking = true;
      let next = every;
      try {
        if (!document.hidden) {
          const data = await get<T>(path);
          if (over) return;
          setTold({ path, data });
          setProblem('');
        }
      } catch (e) {
        if (over) return;
        if (e instanceof NoAnswer) next = Math.min(every, whileLost);
        else setProblem(messageOf(e));
      } finally {
        asking = false;
      }
      if (!over) timer = setTimeout(() => void ask(), next);
    };
    again.current = () => void ask();
    void ask();
    const quiet = awakened.watch(() => void ask());
    return () => {
      over = true;
      clearTimeout(timer);
      quiet();
    };
  }, [path, every]);

  const reload = useCallback(() => again.current(), []);
  return { data: told && told.path === path ? told.data : undefined, problem, reload };
}
