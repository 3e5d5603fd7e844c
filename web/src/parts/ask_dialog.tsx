import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf, post } from '../node/client';
import { Dialog } from './dialog';
import { Problems } from './section';
import { lastWho, WhoAndWhy } from './who';

interface Shape {
  title: string;
  path: string; // to which it is sent
  body: Record<string, unknown>;
  button: string;
  close: () => void;
  done: (told: Record<string, unknown>) => void;
  needsWhy?: boolean;
  isReady?: boolean;
  children?: ComponentChildren;
}

/** Something that is done once a person said who and why. */
export function AskDialog({
  title,
  path,
  body,
  button,
  close,
  done,
  needsWhy = false,
  isReady = true,
  children,
}: Shape) {
  const [who, setWho] = useState(lastWho());
  const [why, setWhy] = useState('');
  const [problem, setProblem] = useState('');
  const [isSending, setSending] = useState(false);
  const carryOut = async (e: Event) => {
    e.preventDefault();
    setSending(true);
    try {
      done(await post(path, { ...body, ...(who && { who }), ...(why && { why }) }));
    } catch (e) {
      setProblem(messageOf(e));
      setSending(false);
    }
  };
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={e => void carryOut(e)}>
        {children}
        <WhoAndWhy who={who} setWho={setWho} why={why} setWhy={setWhy} />
        <Problems text={problem} />
        <footer class="dialog-foot">
          <button type="button" class="quiet" onClick={close}>
            Do nothing
          </button>
          <button type="submit" class="primary" disabled={isSending || !isReady || (needsWhy && why.trim() === '')}>
            {button}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
