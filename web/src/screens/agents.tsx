import { useState } from 'preact/hooks';
import { href, place } from '../core/router';
import { number, percent, span, visible } from '../core/text';
import { useValue } from '../core/value';
import { segment, wake } from '../node/client';
import { aboutSilent, byTrouble } from '../node/health';
import type { Agent } from '../node/types';
import { callsOf, seen, useMay } from '../node/watch';
import { AskDialog } from '../parts/ask_dialog';
import { Moment } from '../parts/moment';
import { OwnNotice } from '../parts/own';
import { Problems, Section, Sheet } from '../parts/section';
import { State } from '../parts/state';
import { circuitOf, LastTrouble } from './overview';

export function Agents() {
  const now = useValue(seen);
  const only = useValue(place).query.get('name');
  const [asked, setAsked] = useState<Agent>();
  const agents = byTrouble(now?.agents ?? [])
    .flat()
    .filter(a => !only || a.name === only);
  const mayAct = useMay('operate');
  const isOpen = asked?.circuit !== 'closed';
  return (
    <>
      <div class="title">
        <h1>Agents</h1>
        {only && (
          <a class="button" href={href(['agents'])}>
            Show all
          </a>
        )}
      </div>
      {now?.own && <OwnNotice own={now.own} />}
      {now?.silent.map(s => (
        <Problems key={s.node} text={aboutSilent(s)} />
      ))}
      <Section title="Agents, those in trouble first">
        <Sheet
          label="Agents"
          head={['agent', 'circuit', 'act', 'calls', 'success', 'p50', 'p99', 'in hand', 'waiting', 'last failure']}
        >
          {agents.map(a => (
            <tr key={`${a.name} ${a.node}`}>
              <td>
                <a
                  data-row
                  href={href(['tasks'], { agent: a.name, states: 'pending,processing,undoing,suspended,error' })}
                >
                  {visible(a.name)}
                </a>{' '}
                <span class="faint">at {visible(a.node)}</span>
                <span class="faint below narrow">{visible(a.service || a.kind || '')}</span>
              </td>
              <td class="circuit">
                <State of={circuitOf(a)} /> {a.circuit_held_open_by && `held by ${visible(a.circuit_held_open_by)}`}
                {a.circuit_open_until && (
                  <span class="faint">
                    {' '}
                    until <Moment at={a.circuit_open_until} ago={false} />
                  </span>
                )}
              </td>
              <td>
                {mayAct && (
                  <button type="button" onClick={() => setAsked(a)} aria-label={`${verb(a)} of ${a.name}`}>
                    {verb(a)}
                  </button>
                )}
              </td>
              <td class="right">{number(callsOf(a))}</td>
              <td class="right">{percent(a.lately_succeeded, callsOf(a))}</td>
              <td class="right">{callsOf(a) ? span(a.p50_ms) : '-'}</td>
              <td class="right">{callsOf(a) ? span(a.p99_ms) : '-'}</td>
              <td class="right">
                {a.in_flight}/{a.in_flight_max}
              </td>
              <td class="right">{number(a.queued)}</td>
              <td class="main">
                <LastTrouble of={a} />
              </td>
            </tr>
          ))}
        </Sheet>
        <p class="faint">Calls, success and latencies are those of the last five minutes.</p>
      </Section>
      {asked && (
        <AskDialog
          title={`${verb(asked)} of ${asked.name}`}
          path={`/v1/agents/${segment(asked.name)}/circuit`}
          body={{ open: !isOpen }}
          button={verb(asked)}
          close={() => setAsked(undefined)}
          done={() => {
            setAsked(undefined);
            wake();
          }}
        >
          <p>
            {isOpen
              ? 'Every node that has the agent calls the service again.'
              : 'No node that has the agent calls the service until somebody closes the circuit. Tasks wait.'}
          </p>
        </AskDialog>
      )}
    </>
  );
}

function verb(a: Agent): string {
  return a.circuit === 'closed' ? 'Open circuit' : 'Close circuit';
}
