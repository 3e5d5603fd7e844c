import { useEffect } from 'preact/hooks';
import { go, place } from '../core/router';
import { Dialog } from './dialog';

export const sections: [key: string, name: string, title: string][] = [
  ['1', '', 'Overview'],
  ['2', 'tasks', 'Tasks'],
  ['3', 'workflows', 'Workflows'],
  ['4', 'agents', 'Agents'],
  ['5', 'nodes', 'Nodes'],
  ['6', 'actors', 'Actors'],
  ['7', 'bulk', 'Bulk acts'],
  ['8', 'approvals', 'Approvals'],
  ['9', 'schedules', 'Schedules'],
];

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}

/** To the next or the previous link of a list. */
function step(by: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? rows[by > 0 ? 0 : rows.length - 1] : rows[at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
  return next !== undefined;
}

let isSearchWanted = false;

function search(): void {
  const field = document.querySelector<HTMLInputElement>('[data-search="text"]');
  if (!field) {
    isSearchWanted = true;
    go('#/tasks');
    return;
  }
  field.focus();
  field.select();
}

/** Whether somebody came to the list of tasks to search; it is asked once. */
export function takeSearchWanted(): boolean {
  const is = isSearchWanted;
  isSearchWanted = false;
  return is;
}

/** One up: from a task to the tasks, from the tasks to the first screen. */
function leave(): void {
  const { path } = place.get();
  if (path.length > 1 && history.length > 1) history.back();
  else if (path.length > 0) go(path.length > 1 ? `#/${path[0]}` : '#/');
}

export function useKeys(showKeys: () => void): void {
  useEffect(() => {
    const pressed = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector('dialog[open]')) return;
      if (isTyping(e.target)) {
        if (e.key === 'Escape') (e.target as HTMLElement).blur();
        return;
      }
      const section = sections.find(([key]) => key === e.key);
      const onRow = document.activeElement?.matches('[data-row]') ?? false;
      if (section) go(`#/${section[1]}`);
      else if (e.key === '/') search();
      else if (e.key === '?') showKeys();
      else if (e.key === 'Escape') leave();
      else if (e.key === 'j' || (onRow && e.key === 'ArrowDown')) step(1);
      else if (e.key === 'k' || (onRow && e.key === 'ArrowUp')) step(-1);
      else return;
      e.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [showKeys]);
}

const rows: [string, string][] = [
  ['/', 'search for tasks'],
  ['j, k', 'to the next and the previous line of a list; there the arrows do it too'],
  ['Enter', 'opens the line'],
  ['Esc', 'closes what is in front, leaves a field, goes back'],
  ...sections.map(([key, , title]): [string, string] => [key, title]),
  ['?', 'this list'],
];

export function Keys({ close }: { close: () => void }) {
  return (
    <Dialog title="Keys" close={close}>
      <dl class="keys">
        {rows.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
