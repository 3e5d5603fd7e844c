import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Prose } from './prose';

interface Shape {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
}

export function Section({ title, aside, children, class: name = '' }: Shape) {
  const id = useId();
  return (
    <section class={`card ${name}`} aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** A table that scrolls sideways by itself where it does not fit. A line that moves keeps the focus. */
export function Sheet({ label, head, children }: { label: string; head: string[]; children: ComponentChildren }) {
  const focused = useRef<HTMLElement>();
  useLayoutEffect(() => {
    if (document.activeElement === document.body) focused.current?.focus({ preventScroll: true });
  });
  return (
    <div
      class="sheet"
      role="group"
      aria-label={label}
      tabIndex={0}
      onFocusIn={e => (focused.current = e.target as HTMLElement)}
      onFocusOut={e => e.relatedTarget && (focused.current = undefined)}
    >
      <table>
        <thead>
          <tr>
            {head.map(h => (
              <th scope="col" key={h}>
                {h}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function Problems({ text }: { text: string }) {
  return text ? (
    <p class="notice bad" role="alert">
      <Prose text={text} />
    </p>
  ) : null;
}

/** The way to the next page of a list; `next` is null on the last. */
export function Older({ next, show }: { next: number | null | undefined; show: (next: number) => void }) {
  if (next === null || next === undefined) return null;
  return (
    <button type="button" class="quiet" onClick={() => show(next)}>
      Older ones
    </button>
  );
}
