import { useState } from 'preact/hooks';
import { TextInput } from './controls.js';

// The page loads this module if the server requires a control token.

/** Form for the control token that the server requires. The browser stores the token. */
export function TokenForm({ wasWrong, onToken }: { wasWrong: boolean; onToken(token: string): void }) {
  const [token, setToken] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    onToken(token.trim());
  };
  return (
    <form class="token" onSubmit={submit}>
      <h1>Control token</h1>
      <p>The server was started with a control token. This browser stores it for this server.</p>
      {wasWrong && (
        <p class="bad" role="alert">
          ✗ Wrong token.
        </p>
      )}
      <TextInput
        type="password"
        autofocus
        autocomplete="off"
        aria-label="Control token"
        value={token}
        onText={setToken}
      />{' '}
      <button type="submit">Open</button>
    </form>
  );
}
