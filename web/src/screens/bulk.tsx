import { useRef, useState } from 'preact/hooks';
import { href } from '../core/router';
import { counted, number, span, visible } from '../core/text';
import { messageOf, post } from '../node/client';
import { usePoll } from '../node/poll';
import type { BulkAct } from '../node/types';
import { useMay } from '../node/watch';
import { Facts } from '../parts/facts';
import { Moment } from '../parts/moment';
import { Prose } from '../parts/prose';
import { Problems, Section, Sheet } from '../parts/section';
import { State } from '../parts/state';
import { lastWho } from '../parts/who';
import { whereInWords } from './filter';

interface Shown {
  bulk: BulkAct;
  refusals: { task_id: string; why: string }[];
}

/** How far it is, with a button that stops it. */
export function BulkProgress({ number: which }: { number: number }) {
  const [isOver, setOver] = useState(false);
  const { data, problem, reload } = usePoll<Shown>(`/v1/bulk-acts/${which}`, isOver ? 60_000 : 400);
  const [said, setSaid] = useState('');
  const mayAct = useMay('operate');
  const begun = useRef<{ at: number; met: number }>();
  if (!data) return <Problems text={problem} />;
  const b = data.bulk;
  const met = b.done + b.refused + b.skipped;
  if (b.state !== 'open' && !isOver) setOver(true);
  begun.current ??= { at: Date.now(), met };
  const rate = (met - begun.current.met) / Math.max(0.5, (Date.now() - begun.current.at) / 1000);
  const stop = async () => {
    try {
      await post(`/v1/bulk-acts/${which}/stop`, lastWho() ? { who: lastWho() } : {});
      reload();
    } catch (e) {
      setSaid(messageOf(e));
    }
  };
  return (
    <div class="bulk">
      <p>
        <State of={b.state} as={b.state === 'open' ? 'busy' : b.state === 'ended' ? 'good' : 'warn'} /> {b.act}
        {b.step && (
          <>
            {' '}
            <code>{visible(b.step)}</code>
          </>
        )}
        , bulk act {b.number}
      </p>
      <progress
        max={Math.max(1, b.about)}
        value={b.state === 'ended' ? Math.max(1, b.about) : met}
        aria-label="Tasks done"
      />
      <p role="status">
        {number(b.done)} done, {number(b.refused)} refused, {number(b.skipped)} skipped, of about {number(b.about)}.
        {b.state === 'open' &&
          rate > 0 &&
          ` ${number(Math.round(rate))} a second, ${span(((b.about - met) / rate) * 1000)} left.`}
      </p>
      {mayAct && b.state === 'open' && (
        <button type="button" onClick={() => void stop()}>
          Stop it here
        </button>
      )}
      <Problems text={said || problem} />
      {data.refusals.length > 0 && (
        <Sheet label="Tasks that refused" head={['task', 'why']}>
          {data.refusals.slice(0, 100).map(r => (
            <tr key={r.task_id}>
              <td>
                <a data-row href={href(['tasks', r.task_id])}>
                  {visible(r.task_id)}
                </a>
              </td>
              <td class="main">
                <Prose text={r.why} />
              </td>
            </tr>
          ))}
        </Sheet>
      )}
    </div>
  );
}

export function BulkScreen({ number: which }: { number: string }) {
  const { data } = usePoll<Shown>(`/v1/bulk-acts/${which}`, 5000);
  return (
    <>
      <h1>Bulk act {which}</h1>
      <Section title="Progress">
        <BulkProgress number={Number(which)} />
      </Section>
      {data && (
        <Section title="What it is">
          <Facts
            all={[
              ['Tasks', <code>{visible(whereInWords(data.bulk.where))}</code>],
              ['By', visible(data.bulk.who)],
              ['Why', visible(data.bulk.why)],
              ['Began', <Moment at={data.bulk.started_at} />],
              ['Ended', data.bulk.ended_at && <Moment at={data.bulk.ended_at} />],
              ['Stopped by', visible(data.bulk.stopped_by)],
              ['Stopped because', visible(data.bulk.stopped_why)],
            ]}
          />
        </Section>
      )}
    </>
  );
}

export function BulkList() {
  const { data, problem } = usePoll<{ bulk_acts: BulkAct[] }>('/v1/bulk-acts?all=true', 2000);
  return (
    <>
      <h1>Bulk acts</h1>
      <Problems text={problem} />
      <Section title="The newest first">
        {data && data.bulk_acts.length === 0 && <p class="faint">There was none lately.</p>}
        {data && data.bulk_acts.length > 0 && (
          <Sheet label="Bulk acts" head={['act', 'tasks', 'state', 'done', 'by', 'began']}>
            {data.bulk_acts.map(b => (
              <tr key={b.number}>
                <td>
                  <a data-row href={href(['bulk', b.number])}>
                    {b.act} {visible(b.step)}
                  </a>
                </td>
                <td class="main">
                  <code>{visible(whereInWords(b.where))}</code>
                </td>
                <td>
                  <State of={b.state} as={b.state === 'open' ? 'busy' : 'calm'} />
                </td>
                <td>
                  {counted(b.done, 'task')}, {number(b.refused)} refused
                </td>
                <td>
                  {visible(b.who)} <span class="faint">{visible(b.why)}</span>
                </td>
                <td>
                  <Moment at={b.started_at} />
                </td>
              </tr>
            ))}
          </Sheet>
        )}
      </Section>
    </>
  );
}
