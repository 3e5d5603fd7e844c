import type { ComponentChildren } from 'preact';

/** Names and values; those without a value are left out. */
export function Facts({ all }: { all: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {all
        .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
