import { counted } from '../../values/counted.js';
import { finding, span, target, times, type WireRule } from '../finding.js';
import type { JudgedRequest } from '../run.js';

/** An answer that takes this long is one that impatient clients do not wait for. */
const longMs = 500;

/** The client leaves an answer that is on its way, and asks for the same again: that takes no less time, and quota. */
export const impatient: WireRule = {
  needs: 'wire',
  judge({ calls, requests }) {
    const left: JudgedRequest[] = [];
    for (const tries of calls)
      for (const request of tries)
        if (isRead(request) && isLeft(request) && request !== tries.at(-1)) left.push(request);
    const hasWaited = requests.some((request) => isRead(request) && !isLeft(request) && lasted(request) >= longMs);
    const [first] = left;
    if (first === undefined) return { exercised: hasWaited, findings: [] };
    const longest = left.reduce((most, each) => Math.max(most, lasted(each)), 0);
    return {
      exercised: true,
      findings: [
        finding('impatient', 'warn', left, {
          measured: `${counted(left.length, 'answer')} left after at most ${span(longest)}`,
          allowed: 'to wait while an answer is on its way',
          text: `${target(first)} was left before its answer ${times(left.length)} and then sent again, which is another request each time. Let the client wait longer for answers, or give up for good.`,
        }),
      ],
    };
  },
};

const isRead = ({ method }: JudgedRequest) => method === 'GET';

const isLeft = ({ status, isAbandoned }: JudgedRequest) => status === 0 || isAbandoned;

const lasted = ({ arrivedAtMs, finishedAtMs }: JudgedRequest) => finishedAtMs - arrivedAtMs;
