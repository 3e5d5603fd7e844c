import { useState } from 'preact/hooks';
import { href } from '../core/router';
import { bytes, number, percent, visible } from '../core/text';
import { useValue } from '../core/value';
import { segment, wake } from '../node/client';
import { usePoll } from '../node/poll';
import type { Lease, Node, StoreStats } from '../node/types';
import { seen, useMay } from '../node/watch';
import { AskDialog } from '../parts/ask_dialog';
import { Facts } from '../parts/facts';
import { Moment } from '../parts/moment';
import { OwnNotice } from '../parts/own';
import { Problems, Section, Sheet } from '../parts/section';
import { State } from '../parts/state';

type Asked = { what: 'drain' | 'release'; name: string };

export function Nodes() {
  const now = useValue(seen);
  const { data, problem, reload } = usePoll<{ leases: Lease[] }>('/v1/leases', 3000);
  const [asked, setAsked] = useState<Asked>();
  const mayAct = useMay('admin');
  const nodes = now?.health.nodes ?? [];
  const arePartitionsTold = nodes.some(n => n.partitions);
  const done = () => {
    setAsked(undefined);
    reload();
    wake();
  };
  return (
    <>
      <h1>Nodes</h1>
      {now?.own && <OwnNotice own={now.own} />}
      {arePartitionsTold && <Problems text={withoutNode(nodes, now?.store?.last_numbers?.length ?? 0)} />}
      <Section title="Nodes, including recent ones that are gone">
        <Sheet
          label="Nodes"
          head={[
            'node',
            'state',
            'act',
            'roles',
            ...(arePartitionsTold ? ['partitions'] : []),
            'supervises',
            'agents',
            'address',
            'lease until',
            'certificate until',
          ]}
        >
          {nodes.map(n => (
            <tr key={n.name}>
              <td>
                <a data-row href={href(['actors'], { node: n.name })}>
                  {visible(n.name)}
                </a>
              </td>
              <td>
                <State of={n.state} />
              </td>
              <td>
                {mayAct && n.state === 'alive' && (
                  <button
                    type="button"
                    onClick={() => setAsked({ what: 'drain', name: n.name })}
                    aria-label={`Drain ${n.name}`}
                  >
                    Drain
                  </button>
                )}
              </td>
              <td>{n.roles.replaceAll(',', ', ')}</td>
              {arePartitionsTold && <td>{n.partitions?.join(', ')}</td>}
              <td>{n.supervises ? 'yes' : ''}</td>
              <td title={n.agents.join(', ')}>{n.agents.length}</td>
              <td>{visible(n.address)}</td>
              <td>
                <Moment at={n.expires_at} />
              </td>
              <td>
                <Moment at={n.certificate_until} />
              </td>
            </tr>
          ))}
        </Sheet>
      </Section>
      <Section title="Leases">
        <Problems text={problem} />
        <Sheet label="Leases" head={['lease', 'act', 'holder', 'epoch', 'until']}>
          {data?.leases.map(l => (
            <tr key={l.name}>
              <td class="main">{visible(l.name)}</td>
              <td>
                {mayAct && l.holder && (
                  <button
                    type="button"
                    onClick={() => setAsked({ what: 'release', name: l.name })}
                    aria-label={`Release ${l.name}`}
                  >
                    Release
                  </button>
                )}
              </td>
              <td>{visible(l.holder) || <span class="faint">nobody</span>}</td>
              <td class="right">{number(l.epoch)}</td>
              <td>
                <Moment at={l.expires_at} />
              </td>
            </tr>
          ))}
        </Sheet>
      </Section>
      {now?.store && <Store of={now.store} />}
      {asked?.what === 'drain' && (
        <AskDialog
          title={`Drain node ${asked.name}`}
          path={`/v1/nodes/${segment(asked.name)}/drain`}
          body={{}}
          button="Drain"
          close={() => setAsked(undefined)}
          done={done}
        >
          <p>The node takes no new tasks and gives back what it has. It works again after a restart.</p>
        </AskDialog>
      )}
      {asked?.what === 'release' && (
        <AskDialog
          title={`Release the lease ${asked.name}`}
          path={`/v1/leases/${segment(asked.name)}/release`}
          body={{}}
          button="Release"
          close={() => setAsked(undefined)}
          done={done}
        >
          <p>
            Its holder loses it at once, and what it still writes under it is refused. Of a node, only when it is gone
            for good.
          </p>
        </AskDialog>
      )}
    </>
  );
}

/** Names the partitions that no node has. */
function withoutNode(nodes: Node[], partitions: number): string {
  const taken = new Set(nodes.flatMap(n => n.partitions ?? []));
  const free = Array.from({ length: partitions }, (_, i) => i).filter(p => !taken.has(p));
  if (free.length === 0) return '';
  const [which, them] = free.length === 1 ? ['partition', 'it'] : ['partitions', 'them'];
  return `No node has ${which} ${free.join(', ')}: nobody can work on the tasks in ${them}.`;
}

function Store({ of: s }: { of: StoreStats }) {
  const room = s.bytes_max - s.bytes_reserve;
  return (
    <Section title="Store">
      <label class="meter">
        {bytes(s.bytes_used)} of {bytes(room)} used, {percent(s.bytes_used, room)}
        <progress max={room} value={s.bytes_used} />
      </label>
      <Facts
        all={[
          ['Disk free', `${bytes(s.disk_free)} of ${bytes(s.disk_size)}`],
          ['Waiting for a scheduler', number(s.claimable)],
          ['Tasks ever', number(s.last_number)],
          ['Removed by retention', number(s.tasks_purged)],
        ]}
      />
    </Section>
  );
}
