import { useState } from 'preact/hooks';
import { href } from '../core/router';
import { counted, number, visible } from '../core/text';
import { messageOf, post } from '../node/client';
import { taskActs, type BulkPlan, type TaskAct } from '../node/types';
import { bodyOf, wordsOf } from '../screens/filter';
import { BulkProgress } from '../screens/bulk';
import { aboutActs } from './act_dialog';
import { Dialog } from './dialog';
import { Prose } from './prose';
import { Problems } from './section';
import { lastWho, WhoAndWhy } from './who';

/** One act on all tasks that match a filter: first its plan, then its progress. */
export function BulkDialog({ filter, close }: { filter: URLSearchParams; close: () => void }) {
  const [act, setAct] = useState<TaskAct>('retry');
  const [step, setStep] = useState(filter.get('step') ?? '');
  const [isNew, setIsNew] = useState(false);
  const [result, setResult] = useState('');
  const [who, setWho] = useState(lastWho());
  const [why, setWhy] = useState('');
  const [plan, setPlan] = useState<BulkPlan>();
  const [problem, setProblem] = useState('');
  const [isSending, setSending] = useState(false);
  const [begun, setBegun] = useState<number>();

  const takesStep = act === 'retry' || act === 'skip';
  const body = () => ({
    ...bodyOf(filter),
    act,
    ...(takesStep && step && { step }),
    ...(act === 'retry' && isNew && { new_key: true }),
    ...(act === 'skip' && result.trim() && { document: result }),
    ...(who && { who }),
    ...(why && { why }),
    where: wordsOf(filter),
  });
  const change = <T,>(set: (value: T) => void) => {
    return (value: T) => {
      set(value);
      setPlan(undefined);
    };
  };
  const send = async (isPlan: boolean) => {
    setSending(true);
    setProblem('');
    try {
      if (isPlan) setPlan(await post<BulkPlan>('/v1/bulk-acts', { ...body(), dry_run: true }));
      else setBegun((await post<{ bulk: number }>('/v1/bulk-acts', body())).bulk);
    } catch (e) {
      setProblem(messageOf(e));
    }
    setSending(false);
  };

  return (
    <Dialog title="Act on all tasks that match" close={close}>
      <p>
        <code>{visible(wordsOf(filter))}</code>
      </p>
      {begun !== undefined ? (
        <BulkProgress number={begun} />
      ) : (
        <form
          onSubmit={e => {
            e.preventDefault();
            void send(!plan);
          }}
        >
          <div class="fields">
            <label>
              Act
              <select value={act} onChange={e => change(setAct)(e.currentTarget.value as TaskAct)}>
                {taskActs
                  .filter(a => a !== 'edit')
                  .map(a => (
                    <option key={a}>{a}</option>
                  ))}
              </select>
            </label>
            {takesStep && (
              <label>
                Step {act === 'retry' && '(none: the current step of each)'}
                <input value={step} onInput={e => change(setStep)(e.currentTarget.value)} />
              </label>
            )}
            {act === 'skip' && (
              <label class="grow">
                Result of the step (may be empty)
                <input value={result} onInput={e => change(setResult)(e.currentTarget.value)} />
              </label>
            )}
            {act === 'retry' && (
              <label class="check">
                <input type="checkbox" checked={isNew} onChange={e => change(setIsNew)(e.currentTarget.checked)} />{' '}
                Under a new idempotency key
              </label>
            )}
          </div>
          <p>{aboutActs[act]}</p>
          <WhoAndWhy who={who} setWho={setWho} why={why} setWhy={setWhy} />
          <Problems text={problem} />
          <div role="status">{plan && <Plan plan={plan} />}</div>
          <footer class="dialog-foot">
            <button type="button" class="quiet" onClick={close}>
              Do nothing
            </button>
            {plan ? (
              <button type="submit" class="primary" disabled={isSending || plan.count === 0}>
                {act[0]!.toUpperCase() + act.slice(1)} {counted(plan.count, 'task')}
              </button>
            ) : (
              <button type="submit" class="primary" disabled={isSending}>
                {isSending ? 'Making the plan…' : 'Show what would happen'}
              </button>
            )}
          </footer>
        </form>
      )}
    </Dialog>
  );
}

function Plan({ plan }: { plan: BulkPlan }) {
  return (
    <div class="plan">
      <h3>What would happen</h3>
      <p>
        {counted(plan.count, 'task')} match; {number(plan.would)} of the {number(plan.looked_at)} looked at would take
        it.
      </p>
      {plan.states_after.length > 0 && (
        <ul>
          {plan.states_after.map(s => (
            <li key={s.process_state}>
              {counted(s.tasks, 'task')} would then be {s.process_state}
            </li>
          ))}
        </ul>
      )}
      {plan.refusals.length > 0 && (
        <ul>
          {plan.refusals.map(r => (
            <li key={r.why}>
              {counted(r.tasks, 'task')} would refuse: <Prose text={r.why} /> (
              <a href={href(['tasks', r.sample])}>{visible(r.sample)}</a>)
            </li>
          ))}
        </ul>
      )}
      {!!plan.undone?.length && (
        <>
          <h3>Undone</h3>
          <ul>
            {plan.undone.map(u => (
              <li key={`${u.workflow} ${u.step}`}>
                <code>{u.step}</code> of <code>{u.workflow}</code> by <code>{u.agent}</code>: {counted(u.tasks, 'task')}
              </li>
            ))}
          </ul>
        </>
      )}
      {!!plan.left?.length && (
        <>
          <h3>Stays in place</h3>
          <ul>
            {plan.left.map(l => (
              <li key={`${l.workflow} ${l.step} ${l.why}`}>
                <code>{l.step}</code> of <code>{l.workflow}</code>, {l.why}: {counted(l.tasks, 'task')}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
