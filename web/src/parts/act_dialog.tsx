import { useEffect, useMemo, useState } from 'preact/hooks';
import { parseExact, pretty } from '../core/exact';
import { clock } from '../core/text';
import { messageOf, post, get, Problem, segment } from '../node/client';
import type { ActAnswer, Task, TaskAct, UndoPlan } from '../node/types';
import { Dialog } from './dialog';
import { difference } from './difference';
import { Prose } from './prose';
import { Problems } from './section';
import { lastWho, WhoAndWhy } from './who';

export const aboutActs: Record<TaskAct, string> = {
  retry: 'Tries the step again, now.',
  skip: 'Takes the step for done, with the result that you give.',
  edit: 'Replaces the payload; steps that are still to come take their input from the new one.',
  undo: 'Reverses what happened, in reverse order.',
  cancel: 'Ends the task; what happened is reversed.',
  suspend: 'Pauses the task. Attempts under way are waited for; nothing new begins.',
  resume: 'Continues where the task was.',
};

/** One act on one task. The node says first, without doing it, whether the task takes it. */
export function ActDialog({
  task,
  act,
  close,
  done,
}: {
  task: Task;
  act: TaskAct;
  close: () => void;
  done: (said: string) => void;
}) {
  const steps = useMemo(() => stepsFor(task, act), [task.id, act]);
  const [step, setStep] = useState(act === 'skip' ? (steps[0] ?? '') : '');
  const [newKey, setNewKey] = useState(false);
  const [before] = useState(textOf(task.payload));
  const [document, setDocument] = useState(act === 'edit' ? before : '');
  const [who, setWho] = useState(lastWho());
  const [why, setWhy] = useState('');
  const [answer, setAnswer] = useState<Answer>({ is: 'asked', why: '' });
  const [plan, setPlan] = useState<UndoPlan>();
  const [problem, setProblem] = useState('');
  const [isSending, setSending] = useState(false);

  const path = `/v1/tasks/${segment(task.id)}/actions`;
  const isOvertaken = act === 'edit' && textOf(task.payload) !== before;
  const mistake = isOvertaken
    ? 'Somebody else has changed the payload: close this, and edit what is there now.'
    : mistakeIn(document, act, task.content_type);
  const body = useMemo(
    () => ({
      act,
      ...(step && { step }),
      ...(newKey && { new_key: true }),
      ...(document.trim() !== '' && (act === 'edit' || act === 'skip') && { document }),
      ...(act === 'edit' && { revision: task.revision }),
    }),
    [act, step, newKey, document, task.revision],
  );

  useEffect(() => {
    setAnswer({ is: 'asked', why: '' });
    if (mistake) return;
    let over = false;
    const timer = setTimeout(async () => {
      try {
        const { process_state: then } = await post<ActAnswer>(path, { ...body, dry_run: true });
        if (!over) setAnswer({ is: 'taken', why: then });
      } catch (e) {
        const isRefusal = e instanceof Problem && e.status === 409;
        if (!over) setAnswer({ is: isRefusal ? 'refused' : 'unknown', why: messageOf(e) });
      }
    }, 150);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [path, body, mistake, task.revision]);

  useEffect(() => {
    if (act !== 'undo' && act !== 'cancel') return;
    get<UndoPlan>(`/v1/tasks/${segment(task.id)}/undo-plan?act=${act}`).then(setPlan, () => {});
  }, [task.id, act]);

  const carryOut = async (e: Event) => {
    e.preventDefault();
    setSending(true);
    setProblem('');
    try {
      await post(path, { ...body, ...(who && { who }), ...(why && { why }) });
      done(`${act}: done at ${clock(Date.now())}.`);
    } catch (e) {
      setProblem(messageOf(e));
      setSending(false);
    }
  };

  return (
    <Dialog title={`${act[0]!.toUpperCase()}${act.slice(1)} ${task.id}`} close={close}>
      <form onSubmit={e => void carryOut(e)}>
        <p>{aboutActs[act]}</p>
        {(act === 'retry' || act === 'skip') && (
          <div class="fields">
            <label>
              Step
              <select value={step} onChange={e => setStep(e.currentTarget.value)}>
                {act === 'retry' && <option value="">the current step</option>}
                {steps.map(s => (
                  <option key={s}>{s}</option>
                ))}
              </select>
            </label>
            {act === 'retry' && (
              <label class="check">
                <input type="checkbox" checked={newKey} onChange={e => setNewKey(e.currentTarget.checked)} /> Under a
                new idempotency key: the service takes it for another order
              </label>
            )}
          </div>
        )}
        {(act === 'edit' || act === 'skip') && (
          <label class="block">
            {act === 'edit' ? 'Payload' : 'Result of the step (may be empty)'}
            <textarea
              rows={act === 'edit' ? 12 : 4}
              spellcheck={false}
              value={document}
              onInput={e => setDocument(e.currentTarget.value)}
            />
          </label>
        )}
        {act === 'edit' && !mistake && <Changes before={textOf(task.payload)} after={formatted(document)} />}
        {plan && <PlannedUndo plan={plan} />}
        <WhoAndWhy who={who} setWho={setWho} why={why} setWhy={setWhy} />
        <p role="status">{mistake ? <span class="bad-text">{mistake}</span> : <Said answer={answer} />}</p>
        <Problems text={problem} />
        <footer class="dialog-foot">
          <button type="button" class="quiet" onClick={close}>
            Do nothing
          </button>
          <button type="submit" class="primary" disabled={isSending || !!mistake || answer.is !== 'taken'}>
            {act[0]!.toUpperCase() + act.slice(1)}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** What the node says, before anything is done. */
interface Answer {
  is: 'asked' | 'taken' | 'refused' | 'unknown';
  /** Of one that is taken the state that follows. */
  why: string;
}

function Said({ answer }: { answer: Answer }) {
  if (answer.is === 'asked') return <>Asking the node whether the task takes this…</>;
  if (answer.is === 'taken') return <>The task takes this now, and is then {answer.why}.</>;
  return (
    <span class="bad-text">
      {answer.is === 'refused' ? 'The task does not take this now: ' : 'Whether the task takes this is not known: '}
      <Prose text={answer.why} />
    </span>
  );
}

function textOf(payload: unknown): string {
  return typeof payload === 'string' ? payload : pretty(payload);
}

/** So that only what differs in meaning is shown as a change. */
function formatted(document: string): string {
  try {
    return pretty(parseExact(document));
  } catch {
    return document;
  }
}

/** Those that have not ended well come first. */
function stepsFor(task: Task, act: TaskAct): string[] {
  const isOpen = (state: string) => !['completed', 'compensated', 'skipped', 'not_started'].includes(state);
  const all = [...task.steps].sort((a, b) => Number(isOpen(b.state)) - Number(isOpen(a.state)));
  return all.filter(s => act === 'skip' || s.state !== 'completed').map(s => s.name);
}

function mistakeIn(document: string, act: TaskAct, contentType: string): string {
  if (document.trim() === '' ? act !== 'edit' : act !== 'edit' && act !== 'skip') return '';
  if (act === 'edit' && !contentType.includes('json')) return '';
  try {
    parseExact(document);
    return '';
  } catch (e) {
    return `The text is ${messageOf(e)}.`;
  }
}

function Changes({ before, after }: { before: string; after: string }) {
  const lines = difference(before, after);
  if (lines.every(l => l.sign === ' ')) return <p class="faint">Nothing is changed.</p>;
  return (
    <pre class="difference" tabIndex={0} role="group" aria-label="What changes">
      {lines.map((l, i) => (
        <span
          key={i}
          class={l.sign === '+' ? 'added' : l.sign === '-' ? 'removed' : ''}
        >{`${l.sign} ${l.text}\n`}</span>
      ))}
    </pre>
  );
}

function PlannedUndo({ plan }: { plan: UndoPlan }) {
  if (plan.refused) return null;
  return (
    <div class="plan">
      {plan.undone.length > 0 && (
        <>
          <h3>Would be undone, in this order</h3>
          <ol>
            {plan.undone.map(u => (
              <li key={u.step}>
                <code>{u.step}</code> by <code>{u.agent}</code>
              </li>
            ))}
          </ol>
        </>
      )}
      {plan.left.length > 0 && (
        <>
          <h3>Would stay in place</h3>
          <ul>
            {plan.left.map(l => (
              <li key={l.step}>
                <code>{l.step}</code>: {l.why}
              </li>
            ))}
          </ul>
        </>
      )}
      {plan.undone.length + plan.left.length === 0 && <p>No step has happened: there is nothing to undo.</p>}
    </div>
  );
}
