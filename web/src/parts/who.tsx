import { rememberWho, whoActs } from '../node/client';

interface Shape {
  why: string;
  setWhy: (why: string) => void;
  who: string;
  setWho: (who: string) => void;
}

export { whoActs as lastWho };

/** Who acts, and why: both are kept with the act. */
export function WhoAndWhy({ why, setWhy, who, setWho }: Shape) {
  return (
    <div class="fields">
      <label>
        Your name
        <input
          value={who}
          maxLength={200}
          autocomplete="off"
          onInput={e => {
            setWho(e.currentTarget.value);
            rememberWho(e.currentTarget.value);
          }}
        />
      </label>
      <label class="grow">
        Why, for those who read the story later
        <input value={why} maxLength={200} autocomplete="off" onInput={e => setWhy(e.currentTarget.value)} />
      </label>
    </div>
  );
}
