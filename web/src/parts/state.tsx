import { words } from '../core/text';

// A state is told by its word; colour and sign only repeat it.

const kinds: Record<string, string> = {
  processed: 'good',
  completed: 'good',
  alive: 'good',
  closed: 'good',
  succeeded: 'good',
  ended: 'good',
  processing: 'busy',
  running: 'busy',
  open: 'bad',
  error: 'bad',
  failed: 'bad',
  failed_permanent: 'bad',
  compensation_failed: 'bad',
  silent: 'bad',
  gone: 'bad',
  'no answer': 'bad',
  undoing: 'warn',
  undone: 'warn',
  compensating: 'warn',
  compensated: 'warn',
  unknown: 'warn',
  suspended: 'warn',
  drained: 'warn',
  failed_transient: 'warn',
  expired: 'warn',
  'half-open': 'warn',
};

export function kindOf(state: string): string {
  return kinds[state] ?? 'calm';
}

export function State({ of: state, as }: { of: string; as?: string | undefined }) {
  return <span class={`state ${as ?? kindOf(state)}`}>{words(state)}</span>;
}
