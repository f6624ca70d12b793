/** Bound of `vi.waitFor` and `vi.waitUntil` on a machine under load; Vitest's own default is one second. */
export const patience = { timeout: 60_000, interval: 20 };
