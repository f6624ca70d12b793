import { useEffect, useState } from 'react';
import type { Quota } from './petstore.ts';

/** Text with the number of requests left, or the remaining wait. */
export function QuotaNotice({ limit, remaining, pausedUntilMs }: Quota) {
  const seconds = useSecondsUntil(pausedUntilMs);
  if (seconds > 0) {
    return (
      <p role="status" className="paused">
        Too many requests. Going on in {seconds} s…
      </p>
    );
  }
  return (
    <p role="status">
      <meter
        min={0}
        max={limit}
        low={limit / 4}
        optimum={limit}
        value={remaining}
        aria-label="Requests left"
      />
      {remaining} of {limit} requests left
    </p>
  );
}

/** Returns the seconds until a time, and updates them down to 0. */
function useSecondsUntil(instantMs: number): number {
  const left = () => Math.max(0, Math.ceil((instantMs - Date.now()) / 1_000));
  const [, redraw] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      redraw((count) => count + 1);
      if (Date.now() >= instantMs) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [instantMs]);
  return left();
}
