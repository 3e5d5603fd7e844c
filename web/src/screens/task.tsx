import { useEffect, useState } from 'preact/hooks';
import { href } from '../core/router';
import { clock, counted, number, span, visible, words } from '../core/text';
import { getExact, messageOf, segment } from '../node/client';
import { listen } from '../node/stream';
import { usePoll } from '../node/poll';
import { useMay, useMayAnswer } from '../node/watch';
import type { Attempt, ProcessState, ShownTask, Step, Task, TaskAct, TaskPage, TaskSummary } from '../node/types';
import { ActDialog } from '../parts/act_dialog';
import { AnswerDialog } from '../parts/answer_dialog';
import { Deeds } from '../parts/deeds';
import { Facts } from '../parts/facts';
import { Fold } from '../parts/fold';
import { Graph } from '../parts/graph';
import { Moment } from '../parts/moment';
import { Prose } from '../parts/prose';
import { Problems, Section, Sheet } from '../parts/section';
import { State } from '../parts/state';
import { Timeline } from '../parts/timeline';

// What people mostly do with a task in a state; the node has the last word on each.
const usual: Record<ProcessState, TaskAct[]> = {
  pending: ['retry', 'suspend', 'cancel'],
  processing: ['suspend', 'cancel'],
  undoing: ['retry', 'skip'],
  suspended: ['resume', 'edit', 'cancel'],
  error: ['retry', 'skip', 'undo', 'edit'],
  processed: ['undo'],
  undone: ['retry'],
};
const allActs: TaskAct[] = ['retry', 'skip', 'edit', 'undo', 'cancel', 'suspend', 'resume'];

/** The task as the node tells it at each change. */
function useTask(id: string) {
  const [shown, setShown] = useState<ShownTask>();
  const [problem, setProblem] = useState('');
  const [round, setRound] = useState(0);
  useEffect(() => {
    setProblem('');
    const path = `/v1/tasks/${segment(id)}`;
    let over = false;
    let whole: ShownTask | undefined;
    const ask = async () => {
      try {
        whole = await getExact<ShownTask>(path);
        if (!over) setShown(whole);
      } catch (e) {
        if (!over) setProblem(messageOf(e));
      }
    };
    // Whose end it waits for under a limit changes without an event of this task.
    const timer = setInterval(() => {
      if (!document.hidden && whole?.explanation.some(s => s.text.includes('with the same key'))) void ask();
    }, 5000);
    const stop = listen(`${path}/events`, {
      event: data => {
        const event = data as ShownTask;
        // An event has no payload, which only a person changes.
        if (!whole || event.task.acts.length !== whole.task.acts.length) return void ask();
        whole = { ...whole, ...event, task: { ...whole.task, ...event.task } };
        setShown(whole);
      },
      refused: setProblem,
    });
    return () => {
      over = true;
      clearInterval(timer);
      stop();
    };
  }, [id, round]);
  return { shown: shown?.task.id === id ? shown : undefined, problem, again: () => setRound(n => n + 1) };
}

export function TaskScreen({ id }: { id: string }) {
  const { shown, problem, again } = useTask(id);
  const [act, setAct] = useState<TaskAct>();
  const [said, setSaid] = useState('');
  const mayAct = useMay('operate');
  const now = useNow(shown !== undefined && shown.task.ended_at === null);
  if (!shown)
    return (
      <>
        <h1>{visible(id)}</h1>
        <Problems text={problem} />
      </>
    );
  const { task, explanation, late_replies: late } = shown;
  const likely = usual[task.process_state];
  const buttons = (acts: TaskAct[]) =>
    acts.map(a => (
      <button type="button" key={a} onClick={() => (setAct(a), setSaid(''))}>
        {a[0]!.toUpperCase() + a.slice(1)}
      </button>
    ));
  return (
    <>
      <div class="title">
        <h1>{visible(task.id)}</h1>
        <State of={task.process_state} />
        <span class="faint">
          of <a href={href(['workflows', task.workflow])}>{visible(task.workflow)}</a> version {task.version}
        </span>
      </div>
      <Problems text={problem} />
      <div class="explanation" role="status">
        {explanation.map((s, i) => (
          <p key={i} class={i === 0 ? 'first' : ''}>
            <Prose text={s.text} areTasks /> {s.at && <Moment at={s.at} />}
          </p>
        ))}
      </div>
      {mayAct && (
        <div class="actions" role="group" aria-label="Acts on the task">
          {buttons(likely)}
          <details class="others">
            <summary>Other acts</summary>
            <div>{buttons(allActs.filter(a => !likely.includes(a)))}</div>
          </details>
          <span role="status">{said}</span>
        </div>
      )}
      <Waits task={task} answered={again} />
      <Section title="Steps">
        <Graph
          title={`Steps of ${task.id}`}
          steps={task.steps.map(s => ({ name: s.name, after: s.after, state: s.state, detail: detailOf(s) }))}
        />
      </Section>
      <Started task={task} />
      <Section title="Over time">
        <Timeline task={task} now={now} />
      </Section>
      <div class="columns">
        <Section title="About">
          <About task={task} />
        </Section>
        <Section title="Payload and results">
          <Fold title="Payload" value={task.payload} />
          {task.result !== undefined && task.result !== null && <Fold title="Result of the task" value={task.result} />}
          {task.steps
            .filter(s => s.result !== null)
            .map(s => (
              <Fold key={s.name} title={`Result of ${s.name}`} value={s.result} />
            ))}
        </Section>
        {task.acts.length > 0 && (
          <Section title="What people did">
            <Deeds acts={task.acts} />
          </Section>
        )}
        {late && late.length > 0 && (
          <Section title="Answers that came too late">
            {late.map((l, i) => (
              <Fold key={i} title={`Late answer ${i + 1}`} value={l} />
            ))}
          </Section>
        )}
      </div>
      <Section title="Attempts">
        {task.steps.map(s => (
          <Attempts key={s.name} step={s} />
        ))}
      </Section>
      {act && (
        <ActDialog
          task={task}
          act={act}
          close={() => setAct(undefined)}
          done={text => {
            setAct(undefined);
            setSaid(text);
            again();
          }}
        />
      )}
    </>
  );
}

/** Moves on while something is under way. */
function useNow(isMoving: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isMoving]);
  return isMoving ? now : Date.now();
}

function detailOf(s: Step): string {
  const state = words(s.state);
  if (s.state === 'running' || s.state === 'compensating') return `${state}, attempt ${s.attempt}`;
  if (s.state === 'waiting') return s.progress ? visible(s.progress) : state;
  if (s.waiting_for || s.not_before) return `${state}, waits`;
  return state;
}

/** What a waiting step waits for, and how the moment when that is over by itself is told. */
function waitOf(s: Step): [what: string, until: string] {
  if (s.waits_for_event !== undefined)
    return [`the event \`${s.waits_for_event}\`${s.event_key ? ` with the key \`${s.event_key}\`` : ''}`, ''];
  if (s.question !== undefined)
    return [`an answer of \`${s.waits_for_role}\`: ${s.question} (${s.choices?.join(', ')})`, ''];
  if (s.items_workflow !== undefined) return [`its items, ${s.progress || 'none has ended yet'}`, 'at the latest'];
  if (s.child !== undefined) return [`the task \`${s.child}\``, 'at the latest'];
  if (s.ends_later) return [`its agent, which has begun it${s.progress ? `: ${s.progress}` : ''}`, 'open until'];
  return ['a moment', ''];
}

/** The steps that wait now; a question is answered here. */
function Waits({ task, answered }: { task: Task; answered: () => void }) {
  const [asked, setAsked] = useState<Step>();
  const mayAnswer = useMayAnswer();
  const waiting = task.steps.filter(s => s.state === 'waiting');
  if (waiting.length === 0) return null;
  return (
    <Section title="What it waits for">
      <Sheet label="Waits" head={['waits for', 'act', 'until', 'since']}>
        {waiting.map(s => {
          const [what, until] = waitOf(s);
          return (
            <tr key={s.name}>
              <td class="main">
                <Prose text={what} areTasks />
                <span class="faint below">step {visible(s.name)}</span>
              </td>
              <td>
                {s.question !== undefined && mayAnswer(s.waits_for_role ?? '') && (
                  <button type="button" onClick={() => setAsked(s)} aria-label={`Answer ${visible(s.name)}`}>
                    Answer
                  </button>
                )}
              </td>
              <td>
                {until} <Moment at={s.limit_at ?? s.not_before} />
              </td>
              <td>
                <Moment at={s.log.at(-1)?.started_at} />
              </td>
            </tr>
          );
        })}
      </Sheet>
      {asked && (
        <AnswerDialog
          of={{
            id: task.id,
            step: asked.name,
            role: asked.waits_for_role ?? '',
            question: asked.question ?? '',
            choices: asked.choices ?? [],
            limit_at: asked.limit_at ?? null,
          }}
          close={() => setAsked(undefined)}
          done={() => {
            setAsked(undefined);
            answered();
          }}
        />
      )}
    </Section>
  );
}

/** The tasks that its steps have started: children, and the items of each step folded. */
function Started({ task }: { task: Task }) {
  const children = task.steps.filter(s => s.child !== undefined);
  const overItems = task.steps.filter(s => s.items_workflow !== undefined && s.state !== 'not_started');
  if (children.length + overItems.length === 0) return null;
  return (
    <Section title="Tasks that it started">
      {children.length > 0 && (
        <ul class="plain">
          {children.map(s => (
            <Child key={s.name} step={s} />
          ))}
        </ul>
      )}
      {overItems.map(s => (
        <Items key={s.name} task={task} step={s} />
      ))}
    </Section>
  );
}

function Child({ step }: { step: Step }) {
  const { data, problem } = usePoll<{ process_state: ProcessState }>(`/v1/tasks/${segment(step.child!)}/state`, 3000);
  return (
    <li>
      <a data-row href={href(['tasks', step.child!])}>
        {visible(step.child!)}
      </a>{' '}
      {data && <State of={data.process_state} />} <span class="faint">{!data && problem}</span>{' '}
      <span class="faint">
        by <code>{visible(step.name)}</code>, of {visible(step.child_workflow ?? '')}
      </span>
    </li>
  );
}

const itemsShown = 50;

/** How many have ended; opened, those that failed or need somebody first. */
function Items({ task, step }: { task: Task; step: Step }) {
  const [isOpen, setOpen] = useState(false);
  const those = { workflow: step.items_workflow!, text: `${task.id}/${step.name}/` };
  const path = (states: string) =>
    isOpen
      ? `/v1/tasks?workflow=${segment(those.workflow)}&text=${segment(those.text)}&states=${states}&max=${itemsShown}`
      : null;
  const { data: wrong, problem } = usePoll<TaskPage>(path('error,undone,undoing,suspended'), 10_000);
  const { data: others } = usePoll<TaskPage>(path('pending,processing,processed'), 10_000);
  const shown = [...inOrder(wrong), ...inOrder(others)];
  const areMore = [wrong, others].some(p => p && p.next !== null);
  return (
    <details class="fold" onToggle={e => setOpen(e.currentTarget.open)}>
      <summary>
        Items of {visible(step.name)} <State of={step.state} />{' '}
        <span class="faint">{visible(step.progress ?? '')}</span>
      </summary>
      <div class="fold-body">
        <Problems text={problem} />
        {wrong && others && shown.length === 0 && <p class="faint">None was started.</p>}
        {shown.length > 0 && (
          <Sheet label={`Items of ${step.name}`} head={['item', 'state', 'took', 'cause']}>
            {shown.map(t => (
              <tr key={t.id}>
                <td>
                  <a data-row href={href(['tasks', t.id])}>
                    {visible(t.id)}
                  </a>
                </td>
                <td>
                  <State of={t.process_state} />
                </td>
                <td>{t.ended_at && span(Date.parse(t.ended_at) - Date.parse(t.submitted_at))}</td>
                <td class="main">
                  <Prose text={t.cause} />
                </td>
              </tr>
            ))}
          </Sheet>
        )}
        {areMore && <a href={href(['tasks'], those)}>All of them</a>}
      </div>
    </details>
  );
}

/** As they were started. */
function inOrder(page: TaskPage | undefined): TaskSummary[] {
  return [...(page?.tasks ?? [])].sort((a, b) => a.number - b.number);
}

function About({ task }: { task: Task }) {
  const took = task.ended_at ? span(Date.parse(task.ended_at) - Date.parse(task.submitted_at)) : '';
  return (
    <Facts
      all={[
        ['Submitted', <Moment at={task.submitted_at} />],
        ['Not before', task.not_before && <Moment at={task.not_before} />],
        task.ended_at
          ? [
              'Ended',
              <>
                <Moment at={task.ended_at} />, after {took}
              </>,
            ]
          : ['Complete by', <Moment at={task.complete_by} />],
        ['Cause', task.cause && <Prose text={task.cause} />],
        ['Priority', task.priority],
        ['Locked by', task.locked_by && `${visible(task.locked_by)}, epoch ${task.lock_epoch}`],
        ['Failures', task.failure_count > 0 && number(task.failure_count)],
        ['Takeovers', task.takeovers > 0 && number(task.takeovers)],
        ['Reopened', task.generation > 1 && counted(task.generation - 1, 'time')],
        ['Observer', visible(task.reply_to)],
        ['Number', number(task.number)],
      ]}
    />
  );
}

interface Run {
  first: Attempt;
  last: Attempt;
}

/** Attempts in a row that did and met the same are one line. */
function runsOf(log: Attempt[]): Run[] {
  const runs: Run[] = [];
  const same = (a: Attempt, b: Attempt) =>
    a.action === b.action && a.outcome === b.outcome && a.note === b.note && a.agent === b.agent;
  for (const a of log) {
    const run = runs.at(-1);
    if (run && same(run.last, a)) run.last = a;
    else runs.push({ first: a, last: a });
  }
  return runs;
}

function Attempts({ step }: { step: Step }) {
  const isCalm = ['completed', 'compensated', 'skipped', 'not_started'].includes(step.state);
  return (
    <details open={!isCalm} class="fold">
      <summary>
        {visible(step.name)} <State of={step.state} /> {step.agent && `at ${visible(step.agent)} `}
        <span class="faint">
          {!step.agent
            ? 'only waits'
            : step.attempt === 0
              ? 'no attempt'
              : `attempt ${step.attempt}, limit ${step.attempts_limit}`}
          {step.cool_offs > 0 && `, ${step.cool_offs} cool-offs`}
        </span>
      </summary>
      <div class="fold-body">
        {step.error && (
          <p>
            Last error: <Prose text={step.error} />
          </p>
        )}
        {step.waiting_for && (
          <p>
            Waits for: <Prose text={step.waiting_for} /> <Moment at={step.not_before} />
          </p>
        )}
        {step.log_dropped > 0 && <p class="faint">{number(step.log_dropped)} earlier attempts are not kept.</p>}
        {step.log.length > 0 && (
          <Sheet label={`Attempts of ${step.name}`} head={['attempt', 'action', 'began', 'took', 'outcome', 'note']}>
            {runsOf(step.log).map(r => (
              <tr key={r.first.attempt}>
                <td>
                  {r.first.attempt}
                  {r.last !== r.first && ` to ${r.last.attempt}`}
                </td>
                <td>{r.first.agent ? `${r.first.action} by ${visible(r.first.agent)}` : 'wait'}</td>
                <td>{clock(r.first.started_at)}</td>
                <td>{r.last.ended_at && span(Date.parse(r.last.ended_at) - Date.parse(r.first.started_at))}</td>
                <td>
                  <State of={r.first.outcome} as={r.first.outcome === 'open' ? 'busy' : undefined} />
                </td>
                <td class="main">
                  <Prose text={r.first.note} />
                </td>
              </tr>
            ))}
          </Sheet>
        )}
      </div>
    </details>
  );
}
