import { pluralize } from '../../values/pluralize.js';
import { limitAssumptions } from '../deduce/limit-rules.js';
import type { Subject } from '../deduce/observation.js';
import type { CalibrateOptions } from './calibrate.js';
import { readQuestions, writeQuestions } from './questions.js';

type Plan = Pick<CalibrateOptions, 'budget' | 'allowsWrite' | 'allowsExhaust' | 'allowsBan' | 'patienceMs'>;

/**
 * Describes, as lines of text, the requests that `calibrate` would send to a real API, with the number of requests for
 * each open question about the API.
 * @param known open questions whose answers are already certain
 */
export function planLines(target: string, plan: Plan, known: ReadonlySet<Subject>): string[] {
  const { budget, allowsWrite, allowsExhaust, allowsBan, patienceMs } = plan;
  const questions = allowsWrite ? [...readQuestions, ...writeQuestions] : readQuestions;
  const open = questions.filter(({ decides, isExtra }) => isExtra || decides.some((subject) => !known.has(subject)));
  const width = Math.max(...open.map(({ sends }) => sends.length));
  const rows = open.map((question) => {
    const cost = writeQuestions.includes(question) ? '1 request, may store a pet' : '1 request';
    const subjects = question.decides.map((subject) => subject.replace('errorCodes.', 'code of '));
    return `  ${question.sends.padEnd(width)}  ${cost}: ${subjects.join(', ')}`;
  });
  const left = Math.max(0, budget - open.length);
  const waits = `waits of up to ${Math.round(patienceMs / 1000)} s`;
  return [
    `Asks ${target}, at most ${pluralize(budget, 'request')}, one at a time:`,
    ...rows,
    `  lists, a pet and an unknown path at chosen times: up to ${pluralize(left, 'request')}, ${waits}: ${limitAssumptions.join(', ')}`,
    allowsExhaust
      ? '  the rest of a window if the budget allows, until one rejection: retryAfterForm, code of rate_limit_exceeded'
      : '  No window is used up; --allow-exhaust permits it.',
    allowsBan
      ? '  up to eight times the rest of a window and early retries until the key is BANNED, if the budget allows: banAfter, banSeconds, banExtend, banStatus, then banGraceMs, banToleranceMs, banEscalation'
      : '  The key is not banned; --allow-ban permits it.',
    ...(allowsWrite ? [] : ['  No pet is stored; --write permits up to 6 pets.']),
  ];
}
