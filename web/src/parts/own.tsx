import { visible } from '../core/text';
import type { Own } from '../node/watch';

/** What there is for a token that does not see everything. */
export function OwnNotice({ own }: { own: Own }) {
  if (own.isByRole) return <p class="notice">Your token sees the questions to its roles, and nothing else.</p>;
  return (
    <p class="notice">
      Your token sees the tasks of {own.workflows.map(visible).join(', ')} and nothing else: no incidents, agents or
      nodes.
    </p>
  );
}
