import { clock, span, visible, words } from '../core/text';
import type { Attempt, Task } from '../node/types';

interface Bar {
  from: number;
  to: number;
  kind: string;
  title: string;
}

/** Attempts, waits and undo of each step, on one axis from the submission to the end, or to now. */
export function Timeline({ task, now }: { task: Task; now: number }) {
  const begin = Date.parse(task.submitted_at);
  const end = Math.max(begin + 1, task.ended_at ? Date.parse(task.ended_at) : now, ...lastMoments(task));
  const at = (moment: number) => `${(((moment - begin) / (end - begin)) * 100).toFixed(3)}%`;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(part => begin + part * (end - begin));
  return (
    <div class="timeline">
      <div>
        {task.steps.map(step => {
          const bars = barsOf(step.log, step.name, end);
          const wait = waitOf(step, now, end);
          return (
            <div class="row" key={step.name}>
              <span class="step">{visible(step.name)}</span>
              <div class="track" role="img" aria-label={`${step.name}: ${said(bars)}`}>
                {[...bars, ...wait].map((b, i) => (
                  <span
                    key={i}
                    class={`bar ${b.kind}`}
                    title={b.title}
                    style={{ left: at(b.from), width: `calc(${at(begin + b.to - b.from)} + 2px)` }}
                  />
                ))}
              </div>
            </div>
          );
        })}
        {task.acts.length > 0 && (
          <div class="row">
            <span class="step">acts of people</span>
            <div
              class="track"
              role="img"
              aria-label={task.acts.map(a => `${a.who} ${a.what} ${clock(a.at)}`).join(', ')}
            >
              {task.acts.map((a, i) => (
                <span
                  key={i}
                  class="bar act"
                  title={`${clock(a.at)} ${a.who}: ${a.what} ${a.why}`}
                  style={{ left: at(Date.parse(a.at)), width: '3px' }}
                />
              ))}
            </div>
          </div>
        )}
        <div class="row axis" aria-hidden="true">
          <span class="step" />
          <div class="track">
            {ticks.map((t, i) => (
              <span key={i} class={`tick t${i}`} style={{ left: at(t) }}>
                {i === 0 ? clock(t) : `+${span(t - begin, true)}`}
              </span>
            ))}
          </div>
        </div>
      </div>
      <p class="key" aria-hidden="true">
        <i class="bar good" /> succeeded <i class="bar warn" /> failed for now, or unknown <i class="bar bad" /> failed
        for good <i class="bar busy" /> under way <i class="bar undo" /> undone <i class="bar bad of-undo" /> undo
        failed for good <i class="bar busy of-undo" /> undo under way <i class="bar wait" /> wait
      </p>
    </div>
  );
}

function lastMoments(task: Task): number[] {
  return task.steps.flatMap(s => s.log.map(a => Date.parse(a.ended_at ?? a.started_at)));
}

function kindOf(a: Attempt): string {
  const undo = a.action === 'undo' ? ' of-undo' : '';
  if (a.outcome === 'open') return `busy${undo}`;
  if (a.outcome === 'failed_permanent') return `bad${undo}`;
  if (a.outcome !== 'succeeded') return 'warn';
  return a.action === 'undo' ? 'undo' : 'good';
}

function barsOf(log: Attempt[], step: string, end: number): Bar[] {
  const bars: Bar[] = [];
  for (const a of log) {
    const from = Date.parse(a.started_at);
    const to = a.ended_at ? Date.parse(a.ended_at) : end;
    const before = bars.at(-1);
    if (before && before.kind !== 'good' && from > before.to)
      bars.push({ from: before.to, to: from, kind: 'wait', title: `waited ${span(from - before.to)}` });
    const note = a.note ? `: ${visible(a.note)}` : '';
    const how = `${words(a.outcome)}${note}, ${clock(a.started_at)}, ${span(to - from)}`;
    const title = `${step}, ${a.action} ${a.attempt}: ${how}`;
    bars.push({ from, to, kind: kindOf(a), title });
  }
  return bars;
}

/** From the last attempt until now, where another one is to come. */
function waitOf(step: Task['steps'][number], now: number, end: number): Bar[] {
  const last = step.log.at(-1);
  if (!last?.ended_at || (step.waiting_for === '' && step.not_before === null)) return [];
  const from = Date.parse(last.ended_at);
  if (step.state === 'completed' || step.state === 'compensated' || from >= now) return [];
  return [
    { from, to: Math.min(now, end), kind: 'wait', title: `waits: ${step.waiting_for || clock(step.not_before)}` },
  ];
}

function said(bars: Bar[]): string {
  return bars.length === 0 ? 'nothing yet' : bars.map(b => b.title).join('; ');
}
