import { href } from '../core/router';
import { clock, visible } from '../core/text';

const moment = /\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(?:\.\d+)?)?Z/g;
const beforeTask = /(?:\btask|the end of) $/i;

/**
 * A sentence of the node: what stands between backticks is a name or a command, and moments outside of names are told
 * in local time. With `areTasks` the names of tasks lead to them.
 */
export function Prose({ text, areTasks = false }: { text: string; areTasks?: boolean }) {
  const parts = visible(text).split('`');
  let isTask = false;
  return (
    <>
      {parts.map((part, i) => {
        if (i % 2 === 0) return part.replace(moment, (at, seconds) => (seconds ? clock(at) : clock(at).slice(0, -3)));
        const before = parts[i - 1]!;
        isTask = areTasks && (beforeTask.test(before) || (isTask && before === ', '));
        const name = <code key={i}>{part}</code>;
        return isTask ? (
          <a key={i} href={href(['tasks', part])}>
            {name}
          </a>
        ) : (
          name
        );
      })}
    </>
  );
}
