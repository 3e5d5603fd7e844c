import { useState } from 'preact/hooks';
import { href } from '../core/router';
import { counted, number, percent, span, visible, words } from '../core/text';
import { useValue } from '../core/value';
import { useChanges } from '../node/changes';
import { byTrouble, counts, isMuted, causeOf, sorted, worstOf } from '../node/health';
import { usePoll } from '../node/poll';
import {
  processStates,
  type Agent,
  type Alert,
  type BulkAct,
  type Incident,
  type ProcessState,
  type Wait,
} from '../node/types';
import { callsOf, samples, seen, type Own, type Seen } from '../node/watch';
import { Chart } from '../parts/chart';
import { Moment } from '../parts/moment';
import { OwnNotice } from '../parts/own';
import { Prose } from '../parts/prose';
import { Problems, Section, Sheet } from '../parts/section';
import { State } from '../parts/state';
import { Questions } from './approvals';
import { whereInWords } from './filter';

export function Overview() {
  useChanges();
  const now = useValue(seen);
  if (!now) return <p class="faint">Asking the node…</p>;
  return (
    <>
      <HealthBand now={now} />
      {now.own && !now.own.isByRole && <OwnTasks own={now.own} />}
      {now.own?.isByRole && <OwnQuestions own={now.own} />}
      {!now.own && <Whole now={now} />}
    </>
  );
}

function Whole({ now }: { now: Seen }) {
  return (
    <>
      {now.store && <Tiles now={now} />}
      {now.store && <Incidents incidents={now.health.incidents} more={now.health.more_incidents} />}
      <div class="columns">
        <Rates />
        <Waits now={now} />
        <Services agents={now.agents} />
        <LostNodes now={now} />
        <OpenBulkActs />
        <Acts />
      </div>
    </>
  );
}

function HealthBand({ now }: { now: Seen }) {
  return (
    <p class={`health ${now.health.well ? 'good' : 'bad'}`}>
      <svg viewBox="0 0 20 20" width="26" height="26" aria-hidden="true">
        {now.health.well ? (
          <>
            <circle cx="10" cy="10" r="9" />
            <path d="M5.5 10.5l3 3 6-7" />
          </>
        ) : (
          <>
            <path d="M10 1l9.3 17H.7z" />
            <path d="M10 7v5M10 14.2v1.4" />
          </>
        )}
      </svg>
      <span>
        <Prose text={now.health.sentence} />
      </span>
    </p>
  );
}

/** What there is for a token that has roles and no scope. */
function OwnQuestions({ own }: { own: Own }) {
  return (
    <>
      <OwnNotice own={own} />
      {own.workflows.length === 0 ? <Questions /> : own.workflows.map(w => <Questions key={w} workflow={w} />)}
    </>
  );
}

/** What there is for a token that sees the tasks of some workflows only. */
function OwnTasks({ own }: { own: Own }) {
  const of = (workflow: string, state: ProcessState) =>
    own.counts.find(c => c.workflow === workflow)?.states[state] ?? 0;
  return (
    <>
      <OwnNotice own={own} />
      <Section title="Tasks">
        <Sheet label="Tasks by workflow" head={['workflow', ...processStates]}>
          {own.workflows.map(w => (
            <tr key={w}>
              <td class="main">
                <a data-row href={href(['tasks'], { workflow: w })}>
                  {visible(w)}
                </a>
              </td>
              {processStates.map(state => (
                <td key={state} class="right">
                  <a href={href(['tasks'], { workflow: w, states: state })}>{number(of(w, state))}</a>
                </td>
              ))}
            </tr>
          ))}
        </Sheet>
      </Section>
      {own.causes.length > 0 && (
        <Section title="Why tasks are in error">
          <Sheet label="Causes" head={['cause', 'workflow', 'tasks', 'the first']}>
            {own.causes.map(c => (
              <tr key={`${c.workflow} ${c.cause}`}>
                <td class="main">
                  <a data-row href={href(['tasks'], { workflow: c.workflow, states: 'error', cause: c.cause ?? '' })}>
                    <Prose text={c.cause ?? 'no cause'} />
                  </a>
                </td>
                <td>{visible(c.workflow)}</td>
                <td class="right">{number(c.count)}</td>
                <td>
                  <Moment at={c.since} />
                </td>
              </tr>
            ))}
          </Sheet>
        </Section>
      )}
    </>
  );
}

function Tiles({ now }: { now: Seen }) {
  const open = byTrouble(now.agents).filter(all => circuitOf(worstOf(all)) !== 'closed');
  const oldest = oldestOf(now.health.waits);
  return (
    <ul class="tiles" aria-label="Figures">
      {processStates.map(state => (
        <li key={state}>
          <a href={href(['tasks'], { states: state })} class={now.store!.tasks[state] === 0 ? 'none' : `has ${state}`}>
            <b>{number(now.store!.tasks[state])}</b> {state}
          </a>
        </li>
      ))}
      <li>
        <a href={href(['agents'])} class={open.length === 0 ? 'none' : 'has error'}>
          <b>{open.length}</b> {open.length === 1 ? 'open circuit' : 'open circuits'}
        </a>
      </li>
      <li>
        {oldest ? (
          <a href={href(['tasks', oldest.longest])} class="has">
            <b>{span(Date.now() - Date.parse(oldest.since!))}</b> oldest wait
          </a>
        ) : (
          <span class="none">
            <b>0</b> wait
          </span>
        )}
      </li>
    </ul>
  );
}

function oldestOf(waits: Wait[]): Wait | undefined {
  return waits.filter(w => w.since !== null && !w.meant).sort((a, b) => (a.since! < b.since! ? -1 : 1))[0];
}

export function stateOf(x: Incident): string {
  if (x.closed_at) return 'closed';
  if (isMuted(x)) return 'muted';
  return x.acknowledged_by ? `acknowledged by ${visible(x.acknowledged_by)}` : 'new';
}

function Incidents({ incidents, more }: { incidents: Incident[]; more: boolean }) {
  const [all, setAll] = useState(false);
  const order = sorted(incidents);
  const shown = all ? order : order.slice(0, 10);
  return (
    <Section
      title="Incidents"
      aside={
        <span class="links">
          <a href={href(['in-place'])}>still in place</a> <a href={href(['incidents'])}>include closed</a>
        </span>
      }
    >
      {incidents.length === 0 ? <p class="faint">No incident is open.</p> : <IncidentRows incidents={shown} />}
      {order.length > shown.length && (
        <button type="button" class="quiet" onClick={() => setAll(true)}>
          {more ? 'more than ' : ''}
          {counted(order.length - shown.length, 'further incident')}
        </button>
      )}
    </Section>
  );
}

export function IncidentRows({ incidents }: { incidents: Incident[] }) {
  return (
    <Sheet label="Incidents" head={['cause', 'tasks', 'where', 'began', 'last', 'state']}>
      {incidents.map(x => (
        <tr key={x.number}>
          <td class="main">
            <a data-row href={href(['incidents', x.number])}>
              <Prose text={causeOf(x)} />
            </a>
          </td>
          <td class="right">{x.tasks > 0 ? number(x.tasks) : ''}</td>
          <td>
            {words(x.kind)}
            {x.agent && (
              <>
                {' at '}
                <a href={href(['agents'], { name: x.agent })}>{visible(x.agent)}</a>
              </>
            )}
            <span class="faint"> {visible([x.workflow, x.step].filter(Boolean).join('/'))}</span>
          </td>
          <td>{x.first_at ? <Moment at={x.first_at} /> : 'at a start'}</td>
          <td>
            <Moment at={x.last_at} ago={false} />
          </td>
          <td>
            <State of={stateOf(x)} as={counts(x) && !x.acknowledged_by ? 'bad' : 'calm'} />
          </td>
        </tr>
      ))}
    </Sheet>
  );
}

function Rates() {
  const all = useValue(samples);
  const seconds = all.length > 1 ? (all.at(-1)!.at - all[0]!.at) / 1000 : 0;
  const line = (name: 'submitted' | 'processed' | 'undone' | 'error') => all.map(s => s[name]);
  return (
    <Section
      title="Rates and latencies"
      class="rates"
      aside={
        <span class="faint">{seconds > 0 ? `the last ${span(seconds * 1000)}` : 'since you opened the page'}</span>
      }
    >
      <Chart title="Submitted" unit="s" lines={[{ name: 'tasks', tone: 'busy', values: line('submitted') }]} />
      <Chart
        title="Ended"
        unit="s"
        lines={[
          { name: 'processed', tone: 'good', values: line('processed') },
          { name: 'undone', tone: 'warn', values: line('undone') },
          { name: 'error', tone: 'bad', values: line('error') },
        ]}
      />
      <Chart
        title="Calls of agents"
        unit="ms"
        lines={[
          { name: 'median', tone: 'good', values: all.map(s => s.p50) },
          { name: 'p99 of the slowest', tone: 'warn', values: all.map(s => s.p99) },
        ]}
      />
    </Section>
  );
}

function Waits({ now }: { now: Seen }) {
  const still = now.health;
  if (!now.store) return null;
  const waits = still.waits.slice(0, 8);
  return (
    <Section title="What tasks wait for">
      <Problems text={still.scheduler_trouble ?? ''} />
      {still.stuck.length > 0 && (
        <ul class="plain">
          {still.stuck.slice(0, 10).map(s => (
            <li key={s.id}>
              <State of="stuck" as="bad" />{' '}
              <a data-row href={href(['tasks', s.id])}>
                {visible(s.id)}
              </a>{' '}
              <Prose text={s.why} />
            </li>
          ))}
        </ul>
      )}
      {waits.length === 0 ? (
        <p class="faint">No task waits.</p>
      ) : (
        <Sheet label="What tasks wait for" head={['tasks', 'what for', 'longest']}>
          {waits.map(w => (
            <tr key={w.cause}>
              <td class="right">{number(w.tasks)}</td>
              <td class="main">
                <Prose text={w.detail} />
              </td>
              <td>
                <a data-row href={href(['tasks', w.longest])}>
                  {visible(w.longest)}
                </a>{' '}
                <Moment at={w.since} />
              </td>
            </tr>
          ))}
        </Sheet>
      )}
    </Section>
  );
}

function troubleAt(a: Agent): string {
  const [failed, refused] = [a.last_failure_at ?? '', a.last_refusal_at ?? ''];
  return refused > failed ? refused : failed;
}

/** The later of the last failure and the last refusal. */
export function LastTrouble({ of: a }: { of: Agent }) {
  const at = troubleAt(a);
  if (!at) return null;
  const isRefusal = at !== a.last_failure_at;
  return (
    <>
      <Moment at={at} /> {visible(isRefusal ? a.last_refusal : a.last_failure)}
    </>
  );
}

export function circuitOf(a: Agent): string {
  return a.answers ? a.circuit : 'no answer';
}

function Services({ agents }: { agents: Agent[] }) {
  const services = byTrouble(agents);
  return (
    <Section title="Agents" aside={<a href={href(['agents'])}>all {services.length}</a>}>
      <Sheet label="Agents" head={['agent', 'circuit', 'success', 'p99', 'last failure']}>
        {services.slice(0, 6).map(all => (
          <Service key={all[0]!.name} all={all} />
        ))}
      </Sheet>
    </Section>
  );
}

/** An agent on all its nodes, in one line. */
function Service({ all }: { all: Agent[] }) {
  const worst = worstOf(all);
  const circuit = circuitOf(worst);
  const such = all.filter(a => circuitOf(a) === circuit);
  const sum = (of: (a: Agent) => number) => all.reduce((n, a) => n + of(a), 0);
  const calls = sum(callsOf);
  const latest = all.reduce((last, a) => (troubleAt(a) > troubleAt(last) ? a : last));
  return (
    <tr>
      <td>
        <a data-row href={href(['agents'], { name: worst.name })}>
          {visible(worst.name)}
        </a>
        <span class="faint below">{visible(worst.service || worst.kind || '')}</span>
      </td>
      <td>
        <State of={circuit} />
        {such.length < all.length && <span class="faint below">at {such.map(a => visible(a.node)).join(', ')}</span>}
      </td>
      <td class="right">
        {percent(
          sum(a => a.lately_succeeded),
          calls,
        )}
      </td>
      <td class="right">{calls ? span(Math.max(...all.map(a => a.p99_ms))) : '-'}</td>
      <td class="main">
        <LastTrouble of={latest} />
      </td>
    </tr>
  );
}

function LostNodes({ now }: { now: Seen }) {
  const lost = now.health.nodes.filter(n => n.state !== 'alive');
  if (lost.length === 0 && now.silent.length === 0) return null;
  return (
    <Section title="Nodes that do not work" aside={<a href={href(['nodes'])}>all {now.health.nodes.length}</a>}>
      <ul class="plain">
        {lost.map(n => (
          <li key={n.name}>
            <State of={n.state} /> <b>{visible(n.name)}</b>
            <span class="faint"> {n.roles.replaceAll(',', ', ')} </span>
            {n.state === 'gone' && <Moment at={n.expires_at} />}
          </li>
        ))}
        {now.silent.map(s => (
          <li key={s.node}>
            <State of="no answer" /> <b>{visible(s.node)}</b> <Prose text={s.why} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function OpenBulkActs() {
  const { data } = usePoll<{ bulk_acts: BulkAct[] }>('/v1/bulk-acts', 5000);
  if (!data || data.bulk_acts.length === 0) return null;
  return (
    <Section title="Bulk acts under way" aside={<a href={href(['bulk'])}>all</a>}>
      <ul class="plain">
        {data.bulk_acts.map(b => (
          <li key={b.number}>
            <a data-row href={href(['bulk', b.number])}>
              {b.act} {visible(whereInWords(b.where))}
            </a>{' '}
            {number(b.done + b.refused + b.skipped)} of about {number(b.about)}, by {visible(b.who)}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Acts() {
  const { data } = usePoll<{ alerts: Alert[] }>('/v1/alerts?kind=act&all=true&max=10', 5000);
  if (!data) return null;
  return (
    <Section title="What people did last">
      {data.alerts.length === 0 ? (
        <p class="faint">Nothing yet.</p>
      ) : (
        <ul class="plain">
          {data.alerts.map(a => (
            <li key={a.number}>
              <Moment at={a.at} /> <b>{visible(a.acknowledged_by)}</b>{' '}
              {a.task_id ? (
                <a data-row href={href(['tasks', a.task_id])}>
                  <Prose text={a.text} />
                </a>
              ) : (
                <Prose text={a.text} />
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
