import { clock, visible } from '../core/text';

const moment = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A sentence of the node: what stands between backticks is a name or a command, and moments are told in local time. */
export function Prose({ text }: { text: string }) {
  return (
    <>
      {visible(text)
        .replace(moment, at => clock(at))
        .split('`')
        .map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}
    </>
  );
}
