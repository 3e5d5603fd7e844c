import { clock, since } from '../core/text';

/** A moment, and how long ago. */
export function Moment({ at, ago = true }: { at: string | null | undefined; ago?: boolean }) {
  if (!at) return null;
  const isPast = Date.parse(at) <= Date.now();
  return (
    <time dateTime={at} title={at}>
      {clock(at)}
      {ago && isPast && <span class="faint"> {since(at)} ago</span>}
    </time>
  );
}
