import { visible, words } from '../core/text';
import type { Act } from '../node/types';
import { Moment } from './moment';

/** "02:14:05 ann: retry: the warehouse is open" */
export function Deeds({ acts }: { acts: Act[] }) {
  return (
    <ul class="plain">
      {acts.map((a, i) => (
        <li key={i}>
          <Moment at={a.at} /> <b>{visible(a.who)}</b>: {words(visible(a.what))}
          {a.why && `: ${visible(a.why)}`}
        </li>
      ))}
    </ul>
  );
}
