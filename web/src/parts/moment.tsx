import { clock, since, span } from '../core/text';

/** A moment, and how long ago it was or until it comes. */
export function Moment({ at, ago = true }: { at: string | null | undefined; ago?: boolean }) {
  if (!at) return null;
  const isPast = Date.parse(at) <= Date.now();
  return (
    <time dateTime={at} title={at}>
      {clock(at)}
      {ago && <span class="faint"> {isPast ? `${since(at)} ago` : `in ${span(Date.parse(at) - Date.now())}`}</span>}
    </time>
  );
}
