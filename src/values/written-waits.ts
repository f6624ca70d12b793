import type { WaitForm } from './told-waits.js';

type Writer = (untilMs: number, nowMs: number) => string;

const secondsUntil: Writer = (untilMs, nowMs) => String(Math.ceil((untilMs - nowMs) / 1_000));

/** Writers of the forms of waits, rounded up to the form's unit. */
const writers: Partial<Record<WaitForm, Writer>> = {
  seconds: secondsUntil,
  milliseconds: (untilMs, nowMs) => String(Math.ceil(untilMs - nowMs)),
  duration: (untilMs, nowMs) => `${secondsUntil(untilMs, nowMs)}s`,
  'Unix seconds': (untilMs) => String(Math.ceil(untilMs / 1_000)),
  'Unix milliseconds': (untilMs) => String(Math.ceil(untilMs)),
  date: (untilMs) => new Date(Math.ceil(untilMs / 1_000) * 1_000).toUTCString(),
  'RFC 3339': (untilMs) => new Date(untilMs).toISOString(),
};

/** Replaces placeholders such as `{seconds}` and `{Unix seconds}` in a text by a wait in this form. */
export const writeWaits = (text: string, untilMs: number, nowMs: number): string =>
  text.replace(/\{([A-Z][\w ]*)\}/gi, (placeholder, form: WaitForm) => writers[form]?.(untilMs, nowMs) ?? placeholder);
