import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { href, place, replaceQuery } from '../core/router';
import { number, span, visible, words } from '../core/text';
import { useValue } from '../core/value';
import { repeat, useChanges } from '../node/changes';
import { get, messageOf, NoAnswer } from '../node/client';
import { usePoll, useUnsaid } from '../node/poll';
import { processStates, type Agent, type Counts, type TaskPage, type TaskSummary, type Workflow } from '../node/types';
import { seen, useMay } from '../node/watch';
import { BulkDialog } from '../parts/bulk_dialog';
import { takeSearchWanted } from '../parts/keys';
import { Moment } from '../parts/moment';
import { Prose } from '../parts/prose';
import { Problems, Section, Sheet } from '../parts/section';
import { State } from '../parts/state';
import { queryOf, wordsOf } from './filter';

const countedMax = 100_000;

export function Tasks() {
  const { query } = useValue(place);
  useChanges();
  const mayAct = useMay('operate');
  const own = useValue(seen)?.own?.workflows[0] ?? '';
  const filter = useMemo(() => {
    const asked = new URLSearchParams(query);
    if (own && !asked.has('workflow')) asked.set('workflow', own);
    return asked;
  }, [query.toString(), own]);
  const [isActing, setActing] = useState(false);
  const asked = queryOf(filter).toString();
  const { data: counts } = usePoll<Counts>(`/v1/counts?${asked}&limit=${countedMax}`, 5000);
  const by = filter.get('by');
  return (
    <>
      <div class="title">
        <h1>Tasks</h1>
        <span class="faint" role="status">
          {counts ? `${number(counts.count)}${counts.count >= countedMax ? ' or more' : ''} match` : ''}
        </span>
        {mayAct && !own && (
          <button type="button" onClick={() => setActing(true)} disabled={!counts || counts.count === 0}>
            Act on all that match
          </button>
        )}
      </div>
      <FilterForm filter={filter} />
      {by && <Groups filter={filter} by={by} />}
      <TaskList key={`${asked} ${filter.get('sort')} ${filter.get('reverse')}`} filter={filter} total={counts?.count} />
      {isActing && <BulkDialog filter={filter} close={() => setActing(false)} />}
    </>
  );
}

function changed(filter: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(filter);
  if (value) next.set(name, value);
  else next.delete(name);
  return next;
}

function FilterForm({ filter }: { filter: URLSearchParams }) {
  const { data } = usePoll<{ workflows: Workflow[] }>('/v1/workflows?newest=true', 60_000);
  const agents = useValue(seen)?.agents ?? [];
  const set = (name: string, value: string) => replaceQuery(changed(filter, name, value));
  const workflow = data?.workflows.find(w => w.name === filter.get('workflow'));
  const steps = [...new Set((workflow ? [workflow] : (data?.workflows ?? [])).flatMap(w => w.steps.map(s => s.name)))];
  const places = [...new Set((workflow ? [workflow] : (data?.workflows ?? [])).flatMap(w => w.index ?? []))];
  const states = new Set((filter.get('states') ?? '').split(',').filter(Boolean));
  const more = [
    'agent',
    'step',
    'cause',
    'place',
    'submitted_after',
    'submitted_before',
    'ended_after',
    'ended_before',
  ];
  const isOpen = more.some(name => filter.has(name));
  const toggle = (state: string) => {
    if (!states.delete(state)) states.add(state);
    set('states', [...states].join(','));
  };
  return (
    <search>
      <form class="filters" aria-label="Filters" onSubmit={e => e.preventDefault()}>
        <fieldset class="chips">
          <legend class="hidden">States</legend>
          {processStates.map(s => (
            <label key={s} class={states.has(s) ? 'chip on' : 'chip'}>
              <input type="checkbox" checked={states.has(s)} onChange={() => toggle(s)} />
              {s}
            </label>
          ))}
        </fieldset>
        <div class="fields">
          <label class="grow">
            Text in id or cause
            <Typed value={filter.get('text') ?? ''} set={v => set('text', v)} name="text" />
          </label>
          <Choice label="Workflow" name="workflow" all={data?.workflows.map(w => w.name)} filter={filter} set={set} />
          <label>
            Order
            <select value={filter.get('sort') ?? ''} onChange={e => set('sort', e.currentTarget.value)}>
              <option value="">newest first</option>
              {['ended', 'took', 'failures', 'priority', 'deadline', 'id', 'workflow'].map(s => (
                <option key={s}>{s}</option>
              ))}
            </select>
          </label>
          <label>
            Counted by
            <select value={filter.get('by') ?? ''} onChange={e => set('by', e.currentTarget.value)}>
              <option value="">-</option>
              {['cause', 'state', 'workflow', 'step', 'agent', 'hour'].map(s => (
                <option key={s}>{s}</option>
              ))}
            </select>
          </label>
        </div>
        <details open={isOpen}>
          <summary>More filters</summary>
          <div class="fields">
            <Choice
              label="Agent"
              name="agent"
              all={[...new Set(agents.map((a: Agent) => a.name))]}
              filter={filter}
              set={set}
            />
            <Choice label="Step" name="step" all={steps} filter={filter} set={set} />
            <label class="grow">
              Cause
              <Typed value={filter.get('cause') ?? ''} set={v => set('cause', v)} />
            </label>
            <Choice
              label="Place in the payload"
              name="place"
              all={places.map(p => p.replace(/^payload:/, ''))}
              filter={filter}
              set={set}
            />
            <label>
              Its value
              <Typed value={filter.get('value') ?? ''} set={v => set('value', v)} />
            </label>
            {['submitted_after', 'submitted_before', 'ended_after', 'ended_before'].map(name => (
              <label key={name}>
                {words(name)[0]!.toUpperCase() + words(name).slice(1)}
                <input
                  type="datetime-local"
                  step={1}
                  value={filter.get(name) ?? ''}
                  onChange={e => set(name, e.currentTarget.value)}
                />
              </label>
            ))}
            <label class="check">
              <input
                type="checkbox"
                checked={filter.has('reverse')}
                onChange={e => set('reverse', e.currentTarget.checked ? 'true' : '')}
              />{' '}
              Order turned round
            </label>
          </div>
        </details>
        {[...filter].length > 0 && (
          <p class="faint">
            <code>{visible(wordsOf(filter))}</code>{' '}
            <a href={href(['tasks'])} onClick={() => replaceQuery(new URLSearchParams())}>
              show all tasks
            </a>
          </p>
        )}
      </form>
    </search>
  );
}

/** Takes effect when somebody stops typing for a moment. */
function Typed({ value, set, name }: { value: string; set: (v: string) => void; name?: string }) {
  const [text, setText] = useState(value);
  const given = useRef(value);
  const latest = useRef(set);
  latest.current = set;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (name && takeSearchWanted()) field.current?.focus();
  }, [name]);
  useEffect(() => {
    if (value !== given.current) setText(value);
    given.current = value;
  }, [value]);
  useEffect(() => {
    if (text === given.current) return;
    const timer = setTimeout(() => {
      given.current = text;
      latest.current(text);
    }, 250);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      ref={field}
      type="search"
      autocomplete="off"
      spellcheck={false}
      value={text}
      data-search={name}
      onInput={e => setText(e.currentTarget.value)}
    />
  );
}

interface ChoiceShape {
  label: string;
  name: string;
  all: string[] | undefined;
  filter: URLSearchParams;
  set: (name: string, value: string) => void;
}

function Choice({ label, name, all = [], filter, set }: ChoiceShape) {
  const value = filter.get(name) ?? '';
  return (
    <label>
      {label}
      <select value={value} onChange={e => set(name, e.currentTarget.value)}>
        <option value="">any</option>
        {[...new Set([...all, ...(value ? [value] : [])])].map(a => (
          <option key={a}>{a}</option>
        ))}
      </select>
    </label>
  );
}

function Groups({ filter, by }: { filter: URLSearchParams; by: string }) {
  const { data, problem } = usePoll<Counts>(`/v1/counts?${queryOf(filter)}&by=${by}`, 5000);
  const narrowed = (group: string) => {
    const next = new URLSearchParams(filter);
    next.delete('by');
    if (by === 'hour') {
      next.set('submitted_after', localText(Date.parse(group)));
      next.set('submitted_before', localText(Date.parse(group) + 3_600_000));
    } else next.set(by === 'state' ? 'states' : by, group);
    return `#/tasks?${next}`;
  };
  return (
    <Section title={`Counted by ${by}`}>
      <Problems text={problem} />
      {data?.groups && (
        <Sheet label={`Counted by ${by}`} head={[by, 'tasks', 'states', 'oldest', 'newest']}>
          {data.groups.slice(0, 50).map(g => (
            <tr key={g.group ?? ''}>
              <td class="main">
                {g.group === null ? (
                  <span class="faint">none</span>
                ) : (
                  <a data-row href={narrowed(g.group)}>
                    {by === 'hour' ? <Moment at={g.group} ago={false} /> : <Prose text={g.group} />}
                  </a>
                )}
              </td>
              <td class="right">{number(g.count)}</td>
              <td>
                {Object.entries(g.states)
                  .map(([state, n]) => `${number(n)} ${state}`)
                  .join(', ')}
              </td>
              <td>
                <Moment at={g.oldest} ago={false} />
              </td>
              <td>
                <Moment at={g.newest} ago={false} />
              </td>
            </tr>
          ))}
        </Sheet>
      )}
    </Section>
  );
}

function localText(at: number): string {
  const d = new Date(at);
  return new Date(at - d.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

// ---- the list ----

const pageSize = 200;
const rowHeight = 34; // as in the style sheet
const rowsBeyond = 12; // drawn above and below what is seen
const refreshEvery = 3000;

/** Only the rows that are seen are in the document; further pages are asked for as they come near. */
function TaskList({ filter, total }: { filter: URLSearchParams; total: number | undefined }) {
  const { tasks, next, problem, more, refresh, round } = useTasks(filter);
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const measure = useCallback(() => {
    const f = frame.current;
    if (f) setView({ top: f.scrollTop, height: f.clientHeight });
  }, []);
  useEffect(() => {
    // The frame has no height before the first tasks are there.
    const observer = new ResizeObserver(measure);
    observer.observe(frame.current!);
    return () => observer.disconnect();
  }, [measure]);

  const first = Math.max(0, Math.floor(view.top / rowHeight) - rowsBeyond);
  const last = Math.min(tasks.length, Math.ceil((view.top + view.height) / rowHeight) + rowsBeyond);
  useEffect(() => {
    if (last + pageSize / 2 > tasks.length && next !== null) more();
  }, [last, tasks.length, next, more, round]);
  const seen = useRef({ first, last });
  seen.current = { first, last };
  useEffect(() => repeat(refreshEvery, () => refresh(seen.current.first, seen.current.last)).end, [refresh]);

  const now = Date.now();
  return (
    <>
      <Problems text={useUnsaid(problem)} />
      <div class="task-list" role="table" aria-label="Tasks" aria-rowcount={(total ?? tasks.length) + 1}>
        <div class="task-row head" role="row" aria-rowindex={1}>
          {['state', 'id', 'workflow', 'steps', 'submitted', 'took', 'cause'].map(h => (
            <span role="columnheader" key={h} class={`c-${h}`}>
              {h}
            </span>
          ))}
        </div>
        <div
          class={tasks.length === 0 ? 'task-frame none' : 'task-frame'}
          ref={frame}
          onScroll={measure}
          role="rowgroup"
        >
          <div class="task-all" role="presentation" style={{ height: `${tasks.length * rowHeight}px` }}>
            {tasks.slice(first, last).map((t, i) => (
              <Row key={t.number} task={t} index={first + i} now={now} />
            ))}
          </div>
        </div>
      </div>
      {tasks.length === 0 && !problem && <p class="faint">{next === null ? 'No task matches.' : 'Asking…'}</p>}
      {tasks.length > 0 && (
        <p class="faint">
          {number(tasks.length)} loaded{next === null ? ', which are all' : ''}.
        </p>
      )}
    </>
  );
}

function Row({ task: t, index, now }: { task: TaskSummary; index: number; now: number }) {
  const end = t.ended_at ? Date.parse(t.ended_at) : now;
  return (
    <div class="task-row" role="row" aria-rowindex={index + 2} style={{ top: `${index * rowHeight}px` }}>
      <span role="cell" class="c-state">
        <State of={t.process_state} />
      </span>
      <span role="cell" class="c-id">
        <a data-row href={href(['tasks', t.id])} title={t.id}>
          {visible(t.id)}
        </a>
      </span>
      <span role="cell" class="c-workflow">
        {t.workflow}
      </span>
      <span role="cell" class="c-steps">
        {t.steps_done}/{t.steps_total}
      </span>
      <span role="cell" class="c-submitted">
        <Moment at={t.submitted_at} ago={false} />
      </span>
      <span role="cell" class="c-took">
        {span(end - Date.parse(t.submitted_at))}
      </span>
      <span role="cell" class="c-cause" title={visible(t.cause)}>
        <Prose text={t.cause} />
      </span>
    </div>
  );
}

type Next = number | string | null;

function useTasks(filter: URLSearchParams) {
  const [tasks, setTasks] = useState<TaskSummary[]>([]);
  const [next, setNext] = useState<Next>(0);
  const [problem, setProblem] = useState('');
  const isAsking = useRef(false);
  const isMoreWanted = useRef(false); // if still so, once what is asked now is answered
  const [round, setRound] = useState(0);
  const state = useRef({ tasks, next });
  state.current = { tasks, next };
  const isPlain = !filter.get('sort') && !filter.get('reverse');
  const base = useMemo(() => {
    const query = queryOf(filter);
    for (const name of ['sort', 'reverse']) if (filter.get(name)) query.set(name, filter.get(name)!);
    return query;
  }, [filter.toString()]);

  const ask = useCallback(
    async (before: Next, max: number, take: (page: TaskPage) => void) => {
      if (isAsking.current) return;
      isAsking.current = true;
      try {
        const query = new URLSearchParams(base);
        query.set('max', `${max}`);
        if (before) query.set('before', `${before}`);
        take(await get<TaskPage>(`/v1/tasks?${query}`));
        setProblem('');
      } catch (e) {
        if (!(e instanceof NoAnswer)) setProblem(messageOf(e));
      } finally {
        isAsking.current = false;
        if (isMoreWanted.current) setRound(n => n + 1);
      }
    },
    [base],
  );

  const more = useCallback(() => {
    isMoreWanted.current = isAsking.current;
    void ask(state.current.next, pageSize, page => {
      setTasks(merged(state.current.tasks, page.tasks, false));
      setNext(page.next);
    });
  }, [ask]);

  /** What is seen, as it is now. Tasks that do not match any more leave with the next visit. */
  const refresh = useCallback(
    async (first: number, last: number) => {
      const { tasks: shown, next: far } = state.current;
      if (shown.length === 0 && far !== null && far !== 0) return; // the first that match are being looked for
      const top = shown[first];
      if (first === 0) {
        await ask(0, pageSize, page => {
          const joined = refreshed(state.current.tasks, page, isPlain);
          setTasks(joined ?? page.tasks);
          if (!joined) setNext(page.next);
        });
      } else if (isPlain && top) {
        await ask(top.number + 1, Math.max(1, last - first), page =>
          setTasks(merged(state.current.tasks, page.tasks, true)),
        );
      }
    },
    [ask, isPlain],
  );

  useEffect(() => more(), [more]);

  return { tasks, next, problem, more, refresh, round };
}

/** With the new ones at the end, or only what is known brought up to date. */
function merged(known: TaskSummary[], page: TaskSummary[], onlyKnown: boolean): TaskSummary[] {
  const told = new Map(page.map(t => [t.number, t]));
  const all = known.map(t => {
    const newer = told.get(t.number);
    told.delete(t.number);
    return newer ?? t;
  });
  return onlyKnown ? all : [...all, ...told.values()];
}

/**
 * The first page as it is now, then what is known to come after it: nothing, if so many are new that some in between
 * are not known.
 */
function refreshed(known: TaskSummary[], page: TaskPage, isPlain: boolean): TaskSummary[] | undefined {
  const lowest = page.tasks.at(-1)?.number ?? 0;
  const meets = isPlain && page.next !== null && known.some(t => t.number >= lowest);
  return meets ? [...page.tasks, ...known.filter(t => t.number < lowest)] : undefined;
}
