import { useState } from 'preact/hooks';
import { href } from '../core/router';
import { number, span, visible } from '../core/text';
import { segment } from '../node/client';
import { usePoll } from '../node/poll';
import type { Schedule, ShownSchedule } from '../node/types';
import { useMay } from '../node/watch';
import { AskDialog } from '../parts/ask_dialog';
import { Facts } from '../parts/facts';
import { Fold } from '../parts/fold';
import { Moment } from '../parts/moment';
import { Prose } from '../parts/prose';
import { Problems, Section, Sheet } from '../parts/section';
import { State } from '../parts/state';

type Act = 'pause' | 'resume' | 'run';

const abouts: Record<Act, [title: string, about: string]> = {
  pause: ['Pause', 'It makes no task until it is resumed.'],
  resume: ['Resume', 'It continues with its next moment; moments that passed while it was paused are skipped.'],
  run: ['Run now', 'Makes a task for this moment, also while it is paused, by its rule for overlap.'],
};

function timesOf(s: Schedule): string {
  return s.cron === undefined ? `every ${span(s.every_ms ?? 0)}` : `${s.cron} ${s.zone}`;
}

/** Buttons for what people do with schedules, what the last of these acts did, and the dialog before it. */
function useActs(done: () => void) {
  const [asked, setAsked] = useState<{ name: string; act: Act }>();
  const [told, setTold] = useState<{ task: string; isQueued: boolean }>();
  const mayAct = useMay('operate');
  const buttons = (s: Schedule) => {
    if (!mayAct) return null;
    const acts: Act[] = [s.is_paused ? 'resume' : 'pause', 'run'];
    return (
      <span class="buttons">
        {acts.map(act => (
          <button
            type="button"
            key={act}
            aria-label={`${abouts[act][0]} ${visible(s.name)}`}
            onClick={() => (setAsked({ name: s.name, act }), setTold(undefined))}
          >
            {abouts[act][0]}
          </button>
        ))}
      </span>
    );
  };
  const said = (
    <span role="status">
      {told?.isQueued && `${visible(told.task)} waits for the task before.`}
      {told && !told.isQueued && (
        <>
          Made: <a href={href(['tasks', told.task])}>{visible(told.task)}</a>
        </>
      )}
    </span>
  );
  const dialog = asked && (
    <AskDialog
      title={`${abouts[asked.act][0]} ${visible(asked.name)}`}
      path={`/v1/schedules/${segment(asked.name)}/actions`}
      body={{ act: asked.act }}
      button={abouts[asked.act][0]}
      needsWhy={asked.act === 'pause'}
      close={() => setAsked(undefined)}
      done={did => {
        if (asked.act === 'run') setTold({ task: `${did.task as string}`, isQueued: did.is_queued === true });
        setAsked(undefined);
        done();
      }}
    >
      <p>{abouts[asked.act][1]}</p>
    </AskDialog>
  );
  return { buttons, said, dialog };
}

export function Schedules() {
  const [after, setAfter] = useState('');
  const { data, problem, reload } = usePoll<{ schedules: Schedule[]; next: string | null }>(
    `/v1/schedules?max=200${after && `&after=${segment(after)}`}`,
    3000,
  );
  const { buttons, said, dialog } = useActs(reload);
  return (
    <>
      <h1>Schedules</h1>
      <Problems text={problem} />
      <Section title="Schedules" aside={said}>
        {data && data.schedules.length === 0 && <p class="faint">There is no schedule{after && ' after these'}.</p>}
        {data && data.schedules.length > 0 && (
          <Sheet label="Schedules" head={['schedule', 'act', 'next', 'when', 'last task', 'made']}>
            {data.schedules.map(s => (
              <tr key={s.name}>
                <td>
                  <a data-row href={href(['schedules', s.name])}>
                    {visible(s.name)}
                  </a>
                  <span class="faint below">
                    of <a href={href(['workflows', s.workflow])}>{visible(s.workflow)}</a>
                  </span>
                </td>
                <td>{buttons(s)}</td>
                <td>
                  <Next of={s} />
                </td>
                <td>{visible(timesOf(s))}</td>
                <td>{s.last_task && <a href={href(['tasks', s.last_task])}>{visible(s.last_task)}</a>}</td>
                <td class="right">{number(s.tasks_made)}</td>
              </tr>
            ))}
          </Sheet>
        )}
        {data && data.next !== null && (
          <button type="button" class="quiet" onClick={() => setAfter(data.next!)}>
            Further ones
          </button>
        )}
      </Section>
      {dialog}
    </>
  );
}

function Next({ of: s }: { of: Schedule }) {
  if (!s.is_paused) return <Moment at={s.next[0]} />;
  return (
    <>
      <State of="paused" as="warn" />
      {s.paused && (
        <span class="faint below">
          by {visible(s.paused.by)}
          {s.paused.why && `: ${visible(s.paused.why)}`}
        </span>
      )}
    </>
  );
}

const fates: Record<string, string> = { made: 'good', refused: 'bad', missed: 'warn', dropped: 'warn' };

export function ScheduleScreen({ name }: { name: string }) {
  const { data, problem, reload } = usePoll<{ schedule: ShownSchedule }>(`/v1/schedules/${segment(name)}`, 3000);
  const { buttons, said, dialog } = useActs(reload);
  if (!data)
    return (
      <>
        <h1>{visible(name)}</h1>
        <Problems text={problem} />
      </>
    );
  const s = data.schedule;
  return (
    <>
      <div class="title">
        <h1>{visible(s.name)}</h1>
        {s.is_paused && <State of="paused" as="warn" />}
        <span class="faint">
          of <a href={href(['workflows', s.workflow])}>{visible(s.workflow)}</a>
          {s.version > 0 && ` version ${s.version}`}, {visible(timesOf(s))}
        </span>
      </div>
      <Problems text={problem} />
      <div class="explanation" role="status">
        <p class="first">
          <Prose text={s.text} areTasks />
        </p>
      </div>
      <div class="actions" role="group" aria-label="Acts on the schedule">
        {buttons(s)}
        {said}
      </div>
      {dialog}
      <div class="columns">
        <Section title="The last moments">
          {s.moments.length === 0 && <p class="faint">None has come yet.</p>}
          {s.moments.length > 0 && (
            <Sheet label="Moments" head={['moment', 'became', 'at', 'task, or why']}>
              {s.moments.map(m => (
                <tr key={m.moment}>
                  <td>
                    <Moment at={m.moment} ago={false} />
                  </td>
                  <td>
                    <State of={m.fate} as={fates[m.fate] ?? 'calm'} />
                  </td>
                  <td>
                    <Moment at={m.at} />
                  </td>
                  <td class="main">
                    {m.text.startsWith(`${s.name}@`) ? (
                      <>
                        <a href={href(['tasks', m.text])}>{visible(m.text)}</a>
                        {m.fate !== 'made' && ' was not over'}
                      </>
                    ) : (
                      <Prose text={m.text} areTasks />
                    )}
                  </td>
                </tr>
              ))}
            </Sheet>
          )}
        </Section>
        <Section title="Next moments">
          {s.is_paused && <p class="faint">None of these creates a task while it is paused.</p>}
          <ul class="plain">
            {s.next.map(at => (
              <li key={at}>
                <Moment at={at} />
              </li>
            ))}
          </ul>
        </Section>
        <Section title="About">
          <Facts
            all={[
              ['Last task', s.last_task && <a href={href(['tasks', s.last_task])}>{visible(s.last_task)}</a>],
              ['Tasks made', number(s.tasks_made)],
              ['When the task before is not over', s.overlap],
              ['Queued', s.queued && <Moment at={s.queued} />],
              ['Jitter', s.jitter_ms > 0 && span(s.jitter_ms)],
              ['Made up for', `the newest ${s.catch_up_max} of the last ${span(s.catch_up_ms)}`],
              ['Priority', s.priority],
              ['Paused by', s.paused && visible(s.paused.by)],
              ['Paused because', s.paused && visible(s.paused.why)],
              ['Paused', s.paused?.at && <Moment at={s.paused.at} />],
              ['From', visible(s.file)],
              ['Moment as', visible(s.moment_as)],
            ]}
          />
          <Fold title="Payload" value={s.payload} />
        </Section>
      </div>
    </>
  );
}
