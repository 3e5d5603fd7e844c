import { useState } from 'preact/hooks';
import { href } from '../core/router';
import { visible, words } from '../core/text';
import { usePoll } from '../node/poll';
import type { InPlace } from '../node/types';
import { Moment } from '../parts/moment';
import { Prose } from '../parts/prose';
import { Older, Problems, Section, Sheet } from '../parts/section';
import { State } from '../parts/state';

/** What tasks in error have left at the services. */
export function InPlaceScreen() {
  const [before, setBefore] = useState(0);
  const { data, problem } = usePoll<{ in_place: InPlace[]; next: number | null }>(
    `/v1/in-place?max=200&before=${before}`,
    5000,
  );
  return (
    <>
      <h1>Still in place</h1>
      <Problems text={problem} />
      <Section title="Effects of tasks in error that nobody has reversed">
        {data && data.in_place.length === 0 && <p class="faint">Nothing{data.next !== null && ' on this page'}.</p>}
        {data && data.in_place.length > 0 && (
          <Sheet label="Effects in place" head={['task', 'step', 'at the service', 'key', 'since', 'why']}>
            {data.in_place.map(x => (
              <tr key={x.key}>
                <td>
                  <a data-row href={href(['tasks', x.task])}>
                    {visible(x.task)}
                  </a>{' '}
                  <State of={x.process_state} />
                </td>
                <td>
                  {visible(x.workflow)}/{visible(x.step)}
                </td>
                <td>
                  <a href={href(['agents'], { name: x.agent })}>{visible(x.agent)}</a> {!x.certain && 'perhaps'}
                </td>
                <td>
                  <code>{visible(x.key)}</code>
                </td>
                <td>
                  <Moment at={x.since} />
                </td>
                <td class="main">
                  {words(x.why)}
                  {x.failure && (
                    <>
                      {': '}
                      <Prose text={x.failure} />
                    </>
                  )}
                </td>
              </tr>
            ))}
          </Sheet>
        )}
        <Older next={data?.next} show={setBefore} />
      </Section>
    </>
  );
}
