import { href, place } from '../core/router';
import { number, span, visible } from '../core/text';
import { useValue } from '../core/value';
import { segment } from '../node/client';
import { aboutSilent } from '../node/health';
import { usePoll } from '../node/poll';
import type { Actor, ShownActor, Silent } from '../node/types';
import { Facts } from '../parts/facts';
import { Fold } from '../parts/fold';
import { Problems, Section, Sheet } from '../parts/section';
import { State } from '../parts/state';

const longMailbox = 1000; // messages
const longBusy = 1000; // milliseconds

export function Actors() {
  const query = useValue(place).query;
  const node = query.get('node');
  const path = `/v1/actors${node ? `?node=${segment(node)}` : ''}`;
  const { data, problem } = usePoll<{ actors: Actor[]; silent_nodes: Silent[] }>(path, 2000);
  const actors = [...(data?.actors ?? [])].sort((a, b) => b.waiting - a.waiting || b.busy_for_ms - a.busy_for_ms);
  return (
    <>
      <div class="title">
        <h1>Actors</h1>
        {node && (
          <>
            <span class="faint">of node {visible(node)}</span>
            <a class="button" href={href(['actors'])}>
              Show all
            </a>
          </>
        )}
      </div>
      <Problems text={problem} />
      {data?.silent_nodes.map(s => (
        <Problems key={s.node} text={aboutSilent(s)} />
      ))}
      <Section title="Actors by mailbox length">
        <Sheet
          label="Actors"
          head={['actor', 'waiting', 'handled', 'a second', 'in hand', 'last message', 'took', 'state', 'about']}
        >
          {actors.map(a => (
            <tr key={a.id}>
              <td>
                <a data-row href={href(['actors', a.id])}>
                  {visible(a.id)}
                </a>
              </td>
              <td class={`right ${a.waiting >= longMailbox ? 'bad-text' : ''}`}>{number(a.waiting)}</td>
              <td class="right">{number(a.handled)}</td>
              <td class="right">{a.per_second.toFixed(1)}</td>
              <td class="right">{number(a.open)}</td>
              <td>{visible(a.last_message)}</td>
              <td class="right">{number(a.last_took_us)} µs</td>
              <td>
                {!a.answers ? (
                  <State of="no answer" />
                ) : a.busy_for_ms >= longBusy ? (
                  <State of={`busy for ${span(a.busy_for_ms)}`} as="warn" />
                ) : (
                  <State of="answers" as="good" />
                )}
              </td>
              <td class="main">{visible(a.summary ?? '')}</td>
            </tr>
          ))}
        </Sheet>
      </Section>
    </>
  );
}

export function ActorScreen({ id }: { id: string }) {
  const { data, problem } = usePoll<ShownActor>(`/v1/actors/${segment(id)}`, 2000);
  return (
    <>
      <h1>{visible(id)}</h1>
      <Problems text={problem} />
      {data && (
        <>
          <Section title="What it does">
            <Facts
              all={[
                ['Node', visible(data.node)],
                ['Kind', visible(data.kind)],
                ['Messages waiting', number(data.waiting)],
                ['Messages handled', `${number(data.handled)}, ${data.per_second.toFixed(1)} a second lately`],
                ['Last message', `${visible(data.last_message)}, took ${number(data.last_took_us)} µs`],
                ['Busy for', data.busy_for_ms > 0 && span(data.busy_for_ms)],
                ['Answers', data.answers ? 'yes' : 'no'],
              ]}
            />
          </Section>
          <Section title="State">
            <Fold title="What it works with" value={data.state ?? null} open />
          </Section>
        </>
      )}
    </>
  );
}
