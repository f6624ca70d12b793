import { formatRemaining } from '../values/format-duration.js';
import { Button } from './controls.js';
import type { Session } from './session.js';

/** Banner while the server does not respond or refuses the connection, with the time of the next attempt. */
export function ConnectionLost({ session }: { session: Session }) {
  const { connection, refusal, lostAtMs, retryAtMs } = session.state;
  if (connection !== 'lost') return null;
  const nowMs = performance.now();
  const sinceMs = Math.max(1, Math.floor((nowMs - lostAtMs) / 1000)) * 1000;
  const next = Math.max(0, Math.ceil((retryAtMs - nowMs) / 1000));
  return (
    <section class="lost" aria-label="Connection">
      <strong role="alert">{refusal === undefined ? 'Connection lost.' : `The server refused: ${refusal}`}</strong>{' '}
      <span>
        Last data {formatRemaining(sinceMs)} ago. Next attempt in {next} s.
      </span>
      <Button onClick={() => session.retry()}>Retry now</Button>
    </section>
  );
}
