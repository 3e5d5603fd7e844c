import { useState } from 'preact/hooks';
import { href, place } from '../core/router';
import { visible } from '../core/text';
import { useValue } from '../core/value';
import { segment, wake } from '../node/client';
import { usePoll } from '../node/poll';
import type { Question } from '../node/types';
import { seen, useMayAnswer } from '../node/watch';
import { AnswerDialog } from '../parts/answer_dialog';
import { Moment } from '../parts/moment';
import { Older, Problems, Section, Sheet } from '../parts/section';

/** Questions that wait for a person, and their answers. */
export function Approvals() {
  const { query } = useValue(place);
  const own = useValue(seen)?.own?.workflows ?? [];
  const role = query.get('role') ?? undefined;
  const workflow = query.get('workflow') ?? (own.length > 1 ? own[0] : undefined);
  return (
    <>
      <div class="title">
        <h1>Approvals</h1>
        {role && (
          <>
            <span class="faint">to {visible(role)}</span>
            <a class="button" href={href(['approvals'], { workflow })}>
              Show all
            </a>
          </>
        )}
        {own.length > 1 &&
          own.map(w => (
            <a
              key={w}
              class="button"
              href={href(['approvals'], { workflow: w, role })}
              aria-current={w === workflow ? 'true' : undefined}
            >
              {visible(w)}
            </a>
          ))}
      </div>
      <Questions key={`${role} ${workflow}`} role={role} workflow={workflow} />
    </>
  );
}

export function Questions({ role, workflow }: { role?: string | undefined; workflow?: string | undefined }) {
  const [before, setBefore] = useState(0);
  const [asked, setAsked] = useState<Question>();
  const [said, setSaid] = useState('');
  const mayAnswer = useMayAnswer();
  const { data, problem, reload } = usePoll<{ approvals: Question[]; next: number | null }>(
    `/v1/approvals?max=200&before=${before}` +
      (role ? `&role=${segment(role)}` : '') +
      (workflow ? `&workflow=${segment(workflow)}` : ''),
    3000,
  );
  return (
    <>
      <Problems text={problem} />
      <Section title="Questions that wait for a person" aside={<span role="status">{said}</span>}>
        {data && data.approvals.length === 0 && (
          <p class="faint">{data.next === null ? 'No open questions.' : 'None among the newest tasks.'}</p>
        )}
        {data && data.approvals.length > 0 && (
          <Sheet label="Questions" head={['question', 'act', 'until', 'role', 'task', 'since']}>
            {data.approvals.map(q => (
              <tr key={`${q.id} ${q.step}`}>
                <td class="main">{visible(q.question)}</td>
                <td>
                  {mayAnswer(q.role) && (
                    <button
                      type="button"
                      aria-label={`Answer ${visible(q.step)} of ${visible(q.id)}`}
                      onClick={() => (setAsked(q), setSaid(''))}
                    >
                      Answer
                    </button>
                  )}
                </td>
                <td>
                  <Moment at={q.limit_at} />
                </td>
                <td>
                  <a href={href(['approvals'], { role: q.role, workflow })}>{visible(q.role)}</a>
                </td>
                <td>
                  <a data-row href={href(['tasks', q.id])}>
                    {visible(q.id)}
                  </a>
                  <span class="faint below">
                    {visible(q.workflow)}/{visible(q.step)}
                  </span>
                </td>
                <td>
                  <Moment at={q.since} />
                </td>
              </tr>
            ))}
          </Sheet>
        )}
        <Older next={data?.next} show={setBefore} />
      </Section>
      {asked && (
        <AnswerDialog
          of={asked}
          close={() => setAsked(undefined)}
          done={() => {
            setSaid(`${visible(asked.id)} is answered.`);
            setAsked(undefined);
            reload();
            wake();
          }}
        />
      )}
    </>
  );
}
