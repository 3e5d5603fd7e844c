import { useState } from 'preact/hooks';
import { href } from '../core/router';
import { counted, number, visible, words } from '../core/text';
import { segment, wake } from '../node/client';
import { causeOf, isMuted } from '../node/health';
import { usePoll } from '../node/poll';
import type { Alert, Incident } from '../node/types';
import { useMay } from '../node/watch';
import { AskDialog } from '../parts/ask_dialog';
import { Deeds } from '../parts/deeds';
import { Facts } from '../parts/facts';
import { Moment } from '../parts/moment';
import { Prose } from '../parts/prose';
import { Older, Problems, Section, Sheet } from '../parts/section';
import { State } from '../parts/state';
import { IncidentRows, stateOf } from './overview';

export function IncidentList() {
  const [before, setBefore] = useState(0);
  const { data, problem } = usePoll<{ incidents: Incident[]; next: number | null }>(
    `/v1/incidents?all=true&max=100&before=${before}`,
    5000,
  );
  return (
    <>
      <h1>Incidents</h1>
      <Problems text={problem} />
      <Section title="All, the newest first">
        {data && <IncidentRows incidents={data.incidents} />}
        <Older next={data?.next} show={setBefore} />
      </Section>
    </>
  );
}

const hour = 3_600_000;

type Asked = { act: 'ack' | 'mute' | 'unmute' | 'note'; title: string; button: string };

const actsOn: Record<Asked['act'], Asked> = {
  ack: { act: 'ack', title: 'Say that you look after it', button: 'Acknowledge' },
  mute: { act: 'mute', title: 'Mute the incident', button: 'Mute' },
  unmute: { act: 'unmute', title: 'Let it count again', button: 'Unmute' },
  note: { act: 'note', title: 'Leave a note', button: 'Leave a note' },
};

function actsNow(x: Incident): Asked[] {
  const { ack, mute, unmute, note } = actsOn;
  return [...(x.acknowledged_by ? [] : [ack]), isMuted(x) ? unmute : mute, note];
}

export function IncidentScreen({ number: which }: { number: string }) {
  const { data, problem, reload } = usePoll<{ incident: Incident }>(`/v1/incidents/${segment(which)}`, 2000);
  const [asked, setAsked] = useState<Asked>();
  const [hours, setHours] = useState(1);
  const mayAct = useMay('operate');
  if (!data)
    return (
      <>
        <h1>Incident {which}</h1>
        <Problems text={problem} />
      </>
    );
  const x = data.incident;
  const tasks = { workflow: x.workflow, step: x.step };
  return (
    <>
      <h1>
        <Prose text={causeOf(x)} />
      </h1>
      <Problems text={problem} />
      <p>
        <State of={stateOf(x)} as={x.closed_at || x.acknowledged_by || isMuted(x) ? 'calm' : 'bad'} /> Incident{' '}
        {x.number}, {words(x.kind)}
        {x.tasks > 0 && <>, {counted(x.tasks, 'task')} now</>}
        {x.tasks_ever > 0 && <>, {number(x.tasks_ever)} so far</>}
      </p>
      <div class="actions" role="group" aria-label="Acts on the incident">
        {mayAct &&
          actsNow(x).map(a => (
            <button type="button" key={a.act} onClick={() => setAsked(a)}>
              {a.button}
            </button>
          ))}
        {x.workflow && (
          <a class="button" href={href(['tasks'], { ...tasks, states: 'pending,processing,undoing,suspended,error' })}>
            Unfinished tasks at this step
          </a>
        )}
        {x.agent && (
          <a class="button" href={href(['agents'], { name: x.agent })}>
            Agent {visible(x.agent)}
          </a>
        )}
      </div>
      <Section title="What it is">
        <Facts
          all={[
            ['Began', x.first_at ? <Moment at={x.first_at} /> : 'at a start'],
            ['Last', <Moment at={x.last_at} />],
            ['Closed', x.closed_at && <Moment at={x.closed_at} />],
            ['Times', x.times > 1 && number(x.times)],
            ['Workflow', x.workflow && <a href={href(['workflows', x.workflow])}>{visible(x.workflow)}</a>],
            ['Step', x.step && visible(x.step)],
            ['Agent', x.agent && visible(x.agent)],
            ['Sample', x.sample_text && <Prose text={x.sample_text} />],
            ['Sample task', x.sample_task && <a href={href(['tasks', x.sample_task])}>{visible(x.sample_task)}</a>],
            ['Muted', isMuted(x) && (x.muted_until ? <Moment at={x.muted_until} /> : 'until it is unmuted')],
          ]}
        />
      </Section>
      {x.acts.length > 0 && (
        <Section title="What people did">
          <Deeds acts={x.acts} />
        </Section>
      )}
      <AlertsOf incident={x} />
      {asked && (
        <AskDialog
          title={asked.title}
          path={`/v1/incidents/${x.number}/actions`}
          body={{ act: asked.act, ...(asked.act === 'mute' && hours > 0 && { until_ms: Date.now() + hours * hour }) }}
          button={asked.button}
          needsWhy={asked.act === 'note'}
          close={() => setAsked(undefined)}
          done={() => {
            setAsked(undefined);
            reload();
            wake();
          }}
        >
          {asked.act === 'mute' && (
            <label class="block">
              For how long
              <select value={hours} onChange={e => setHours(Number(e.currentTarget.value))}>
                <option value={1}>an hour</option>
                <option value={4}>four hours</option>
                <option value={24}>a day</option>
                <option value={0}>until it is unmuted</option>
              </select>
            </label>
          )}
        </AskDialog>
      )}
    </>
  );
}

function AlertsOf({ incident }: { incident: Incident }) {
  const [before, setBefore] = useState(0);
  const all = incident.closed_at ? '&all=true' : '';
  const { data, problem } = usePoll<{ alerts: Alert[]; next: number | null }>(
    `/v1/alerts?incident=${incident.number}&max=100&before=${before}${all}`,
    5000,
  );
  return (
    <Section title="Its alerts">
      <Problems text={problem} />
      {data && data.alerts.length === 0 && <p class="faint">None here.</p>}
      {data && data.alerts.length > 0 && (
        <Sheet label="Alerts" head={['at', 'task', 'text']}>
          {data.alerts.map(a => (
            <tr key={a.number}>
              <td>
                <Moment at={a.at} />
              </td>
              <td>
                {a.task_id && (
                  <a data-row href={href(['tasks', a.task_id])}>
                    {visible(a.task_id)}
                  </a>
                )}
              </td>
              <td class="main">
                <Prose text={a.text} />
              </td>
            </tr>
          ))}
        </Sheet>
      )}
      <Older next={data?.next} show={setBefore} />
    </Section>
  );
}
