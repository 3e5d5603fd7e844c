import { useState } from 'preact/hooks';
import { pretty } from '../core/exact';
import { visible } from '../core/text';

function textOf(value: unknown): string {
  return typeof value === 'string' ? visible(value) : pretty(value);
}

/** A payload or a result: folded, and copied whole. */
export function Fold({ title, value, open = false }: { title: string; value: unknown; open?: boolean }) {
  const [said, setSaid] = useState('');
  const text = textOf(value);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied.');
    } catch {
      setSaid('The browser does not let this page copy.');
    }
  };
  return (
    <details class="fold" open={open}>
      <summary>
        {title} <span class="faint">{text.length > 60 ? `${text.length} characters` : text.replace(/\s+/g, ' ')}</span>
      </summary>
      <div class="fold-body">
        <button type="button" class="quiet" onClick={() => void copy()} aria-label={`Copy ${title}`}>
          Copy
        </button>
        <span role="status" class="faint">
          {said}
        </span>
        <pre tabIndex={0} role="group" aria-label={title}>
          {text}
        </pre>
      </div>
    </details>
  );
}
