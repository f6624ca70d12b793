import { finding, type Rule, span } from './finding.js';

const leastMs = 10_000;
const share = 0.5;
/** A wait this many times too long is a unit error: milliseconds read as seconds. */
const unitError = 100;

/** The first request after a deadline comes much later than it could. */
export const overslept: Rule = ({ episodes }) => {
  const woken = episodes.flatMap(({ refusals, served }) => {
    const last = refusals.at(-1);
    if (served === undefined || last?.deadlineMs === undefined) return [];
    const waitMs = Math.max(0, last.deadlineMs - last.answeredAtMs);
    return [{ served, waitMs, lateMs: served.arrivedAtMs - last.deadlineMs }];
  });
  const findings = woken
    .filter(({ waitMs, lateMs }) => lateMs > Math.max(leastMs, waitMs * share))
    .map(({ served, waitMs, lateMs }) => {
      const isUnitError = waitMs > 0 && lateMs > waitMs * unitError;
      return finding('overslept', isUnitError ? 'fail' : 'warn', [served], {
        measured: `${span(lateMs)} late`,
        allowed: span(Math.max(leastMs, waitMs * share)),
        text: isUnitError
          ? `Waited ${span(lateMs + waitMs)} where ${span(waitMs)} was asked for: looks like seconds read as milliseconds, or a Unix time read as a wait.`
          : `Came back ${span(lateMs)} later than it could; the service would have answered after ${span(waitMs)}.`,
      });
    });
  return { exercised: woken.length > 0, findings };
};
