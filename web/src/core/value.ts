import { useEffect, useState } from 'preact/hooks';

/** A value that parts of the page watch. */
export class Value<T> {
  private readonly watchers = new Set<(value: T) => void>();

  constructor(private current: T) {}

  get(): T {
    return this.current;
  }

  set(value: T): void {
    if (Object.is(value, this.current)) return;
    this.current = value;
    for (const tell of [...this.watchers]) tell(value);
  }

  /** Returns what ends it. */
  watch(tell: (value: T) => void): () => void {
    this.watchers.add(tell);
    return () => this.watchers.delete(tell);
  }
}

export function useValue<T>(value: Value<T>): T {
  const [current, setCurrent] = useState<T>(value.get());
  useEffect(() => {
    setCurrent(value.get());
    return value.watch(next => setCurrent(next));
  }, [value]);
  return current;
}
