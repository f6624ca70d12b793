import { setTimeout as sleep } from 'node:timers/promises';
import wretch from 'wretch';
import { retry } from 'wretch/middlewares';
import { askedWaitMs, isWorthWaiting } from './asked-wait.mjs';

const sendWith =
  (middleware) =>
  ({ url, method, ...init }) =>
    wretch(url, init).middlewares([middleware]).fetch(method).res();

export const byDefault = sendWith(retry());

// doc: set right
const patience = retry({
  maxAttempts: 4,
  delayTimer: 100,
  until: (response) => !isWorthWaiting(response),
  onRetry: ({ response }) => sleep(askedWaitMs(response.headers)),
});
// end
export const setRight = sendWith(patience);
