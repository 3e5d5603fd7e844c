import { visible } from '../core/text';

/** A sentence of the node: what stands between backticks is a name or a command. */
export function Prose({ text }: { text: string }) {
  return (
    <>
      {visible(text)
        .split('`')
        .map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}
    </>
  );
}
