import { useState } from 'preact/hooks';
import { visible } from '../core/text';
import { segment } from '../node/client';
import { AskDialog } from './ask_dialog';
import { Moment } from './moment';

export interface Asked {
  id: string; // of the task
  step: string;
  role: string;
  question: string;
  choices: string[];
  limit_at: string | null;
}

/** A person's answer; who and why are kept in the task's story. */
export function AnswerDialog({ of: asked, close, done }: { of: Asked; close: () => void; done: () => void }) {
  const [choice, setChoice] = useState('');
  return (
    <AskDialog
      title={`Answer ${visible(asked.id)}`}
      path={`/v1/tasks/${segment(asked.id)}/approvals/${segment(asked.step)}`}
      body={{ choice }}
      button="Answer"
      isReady={choice !== ''}
      close={close}
      done={done}
    >
      <fieldset class="choices">
        <legend>{visible(asked.question)}</legend>
        {asked.choices.map(c => (
          <label key={c} class="check">
            <input type="radio" name="choice" checked={choice === c} onChange={() => setChoice(c)} /> {visible(c)}
          </label>
        ))}
      </fieldset>
      <p class="faint">
        To {visible(asked.role)}, by the step <code>{visible(asked.step)}</code>; it is over at{' '}
        <Moment at={asked.limit_at} />.
      </p>
    </AskDialog>
  );
}
