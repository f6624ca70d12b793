/** So long one request may be worked on before others are served. */
export const mostTurnMs = 8;

/** Lets others be served. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
