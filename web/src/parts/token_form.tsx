import { useState } from 'preact/hooks';
import { theToken, takeToken } from '../node/client';

export function TokenForm({ why }: { why: string }) {
  const [token, setToken] = useState('');
  return (
    <main class="token" id="main" tabIndex={-1}>
      <h1>This node asks for a token</h1>
      <p role="alert">
        {theToken() !== null ? why : 'It is kept until this tab is closed, and sent to this node only.'}
      </p>
      <form
        onSubmit={e => {
          e.preventDefault();
          takeToken(token.trim());
        }}
      >
        <label class="block">
          Token
          <input
            type="password"
            autocomplete="off"
            autofocus
            value={token}
            onInput={e => setToken(e.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={token.trim() === ''}>
          Use it
        </button>
      </form>
      <p class="faint">
        <code>steadfast token create</code> makes one.
      </p>
    </main>
  );
}
