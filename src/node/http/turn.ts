import * as timers from 'node:timers';

/** So long one request may be worked on before others are served. */
export const mostTurnMs = 8;

/**
 * Node's own `setImmediate`, also under the fake timers of a test runner, and in jsdom, which has no global one. Taken once,
 * because sinon replaces that of `node:timers` as well.
 */
export const setImmediate = timers.setImmediate;

/** Lets others be served. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
