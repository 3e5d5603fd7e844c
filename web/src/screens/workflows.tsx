import type { ComponentChildren } from 'preact';
import { href } from '../core/router';
import { number, percent, span, visible } from '../core/text';
import { segment } from '../node/client';
import { usePoll } from '../node/poll';
import type { Counts, Group, ProcessState, TaskPage, Workflow } from '../node/types';
import { Facts } from '../parts/facts';
import { Graph } from '../parts/graph';
import { Prose } from '../parts/prose';
import { Problems, Section, Sheet } from '../parts/section';

const unfinished = 'pending,processing,undoing,suspended,error';

function inState(g: Group | undefined, ...states: ProcessState[]): number {
  return states.reduce((sum, s) => sum + (g?.states[s] ?? 0), 0);
}

export function Workflows() {
  const { data, problem } = usePoll<{ workflows: Workflow[] }>('/v1/workflows?newest=true', 10_000);
  const { data: counts } = usePoll<Counts>('/v1/counts?by=workflow', 5000);
  const latest = new Map<string, Workflow>();
  for (const w of data?.workflows ?? []) if (w.version >= (latest.get(w.name)?.version ?? 0)) latest.set(w.name, w);
  return (
    <>
      <h1>Workflows</h1>
      <Problems text={problem} />
      <Section title="Registered workflows">
        <Sheet
          label="Workflows"
          head={['workflow', 'success', 'usual time', 'unfinished', 'in error', 'undone', 'processed']}
        >
          {[...latest.values()].map(w => {
            const g = counts?.groups?.find(x => x.group === w.name);
            const ended = inState(g, 'processed', 'undone', 'error');
            const error = inState(g, 'error');
            const told = (value: ComponentChildren) => (counts ? value : '…');
            return (
              <tr key={w.name}>
                <td class="main">
                  <a data-row href={href(['workflows', w.name])}>
                    {visible(w.name)}
                  </a>{' '}
                  <span class="faint">version {w.version}</span>
                </td>
                <td class="right">{told(percent(inState(g, 'processed'), ended))}</td>
                <td class="right">
                  <UsualTime workflow={w.name} />
                </td>
                <td class="right">{told(number(inState(g, 'pending', 'processing', 'undoing', 'suspended')))}</td>
                <td class="right">
                  {told(
                    error > 0 ? (
                      <a href={href(['tasks'], { workflow: w.name, states: 'error' })}>{number(error)}</a>
                    ) : (
                      0
                    ),
                  )}
                </td>
                <td class="right">{told(number(inState(g, 'undone')))}</td>
                <td class="right">{told(number(inState(g, 'processed')))}</td>
              </tr>
            );
          })}
        </Sheet>
      </Section>
    </>
  );
}

/** Milliseconds, sorted, of the tasks that were processed last. */
function useTimes(workflow: string): number[] {
  const { data } = usePoll<TaskPage>(
    `/v1/tasks?workflow=${segment(workflow)}&states=processed&sort=ended&max=200`,
    15_000,
  );
  return (data?.tasks ?? [])
    .map(t => Date.parse(t.ended_at ?? t.submitted_at) - Date.parse(t.submitted_at))
    .sort((a, b) => a - b);
}

function UsualTime({ workflow }: { workflow: string }) {
  const times = useTimes(workflow);
  return times.length === 0 ? <>-</> : <>{span(times[Math.floor(times.length / 2)]!)}</>;
}

export function WorkflowScreen({ name }: { name: string }) {
  const { data, problem } = usePoll<{ workflow: Workflow }>(`/v1/workflows/${segment(name)}`, 30_000);
  // The definition first: of many tasks the counts take a moment.
  const counts = (by: string) => (data ? `/v1/counts?workflow=${segment(name)}&by=${by}` : null);
  const { data: whole } = usePoll<Counts>(counts('workflow'), 5000);
  const { data: byStep } = usePoll<Counts>(counts(`step&states=${unfinished}`), 5000);
  const { data: byCause } = usePoll<Counts>(counts('cause&states=error,undone,undoing'), 10_000);
  const times = useTimes(name);
  if (!data)
    return (
      <>
        <h1>{visible(name)}</h1>
        <Problems text={problem} />
      </>
    );
  const w = data.workflow;
  const g = whole?.groups?.[0];
  const ended = inState(g, 'processed', 'undone', 'error');
  const told = (value: string) => (whole ? value : '…');
  const waitingAt = (step: string) => byStep?.groups?.find(x => x.group === step);
  const quantile = (q: number) => times[Math.min(times.length - 1, Math.floor(times.length * q))]!;
  return (
    <>
      <div class="title">
        <h1>{visible(w.name)}</h1>
        <span class="faint">version {w.version}</span>
        <a class="button" href={href(['tasks'], { workflow: w.name })}>
          Its tasks
        </a>
      </div>
      <Section title="Where tasks stand">
        <Graph
          title={`Steps of ${w.name}`}
          steps={w.steps.map(s => {
            const here = waitingAt(s.name);
            const wrong = inState(here, 'error');
            return {
              name: s.name,
              after: s.after,
              state: wrong > 0 ? 'error' : here ? 'running' : 'nobody here',
              detail: here
                ? `${number(here.count)} here` + (wrong > 0 ? `, ${number(wrong)} error` : '')
                : byStep
                  ? '-'
                  : '…',
            };
          })}
        />
      </Section>
      <div class="columns">
        <Section title="How it goes">
          <Facts
            all={[
              ['Success', told(`${percent(inState(g, 'processed'), ended)} of ${number(ended)} that ended`)],
              ['Usual time', times.length > 0 && `${span(quantile(0.5))}, a tenth longer than ${span(quantile(0.9))}`],
              ['Undone', told(number(inState(g, 'undone')))],
              ['In error', told(number(inState(g, 'error')))],
              ['Unfinished', told(number(inState(g, 'pending', 'processing', 'undoing', 'suspended')))],
              ['Deadline', w.deadline],
              ['Time reserved for undo', w.undo_reserve],
              ['Searchable', w.index?.join(', ')],
            ]}
          />
        </Section>
        <Section title="Why tasks failed">
          {!byCause?.groups?.some(c => c.group) && <p class="faint">{byCause ? 'None did.' : '…'}</p>}
          <ul class="plain">
            {byCause?.groups
              ?.filter(c => c.group)
              .slice(0, 10)
              .map(c => (
                <li key={c.group}>
                  <b>{number(c.count)}</b>{' '}
                  <a data-row href={href(['tasks'], { workflow: w.name, cause: c.group! })}>
                    <Prose text={c.group!} />
                  </a>
                </li>
              ))}
          </ul>
        </Section>
      </div>
      <Section title="Steps">
        <Sheet
          label="Steps"
          head={['step', 'agent', 'after', 'here now', 'complete by', 'attempts', 'undo', 'when exhausted']}
        >
          {w.steps.map(s => (
            <tr key={s.name}>
              <td>{visible(s.name)}</td>
              <td>
                {s.role ? (
                  <>asks {visible(s.role)}</>
                ) : s.agent ? (
                  <a href={href(['agents'], { name: s.agent })}>{visible(s.agent)}</a>
                ) : (
                  visible(
                    s.workflow
                      ? `workflow ${s.workflow}`
                      : s.wait
                        ? `event ${s.wait.event}`
                        : s.sleep
                          ? `sleep ${s.sleep}`
                          : `until ${s.until}`,
                  )
                )}
              </td>
              <td>{s.after.join(', ')}</td>
              <td class="right">
                {waitingAt(s.name) ? (
                  <a data-row href={href(['tasks'], { workflow: w.name, step: s.name, states: unfinished })}>
                    {number(waitingAt(s.name)!.count)}
                  </a>
                ) : (
                  0
                )}
              </td>
              <td>{s.complete_by}</td>
              <td>
                {s.retry && `${s.retry.attempts} a round, ${s.threshold} rounds`}
                {s.cool_off && `, cool-off ${s.cool_off.count} × ${s.cool_off.wait}`}
              </td>
              <td>{s.compensation ? visible(s.compensation.agent) : s.workflow ? 'with its task' : '-'}</td>
              <td>{s.on_exhausted}</td>
            </tr>
          ))}
        </Sheet>
      </Section>
    </>
  );
}
