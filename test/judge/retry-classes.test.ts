import { afterAll, describe, expect, test } from 'vitest';
import { retryClasses } from '../../src/cli/retry-classes.js';
import type { Scenario } from '../../src/entries/index.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';
import * as clients from '../scenarios/clients.js';
import { removeRecordings } from '../scenarios/open-recorded.js';
import type { Call } from '../scenarios/stage.js';
import { type VerdictCase, verdictCases } from '../scenarios/verdict-cases.js';
import { blamed, found } from '../support/findings.js';
import { tableRows, userPage } from '../support/markdown.js';
import { verdictsOn } from './three-ways.js';

// The classes of retry bugs of the literature: a client that has the bug and one that has not, judged live, and from a HAR
// and JSON Lines of a proxy. The table of docs/judging-clients.md has the answers where a recording cannot show the bug.

afterAll(removeRecordings);

/** Sends a call, and again after each of these waits, regardless of the responses. */
const resending =
  (waits: readonly number[], callAt: (n: number) => Call = () => ({})): VerdictCase['client'] =>
  async (stage) => {
    await stage.send(callAt(0)).catch(() => {});
    for (const [n, ms] of waits.entries()) {
      await stage.sleep(ms);
      await stage.send(callAt(n + 1)).catch(() => {});
    }
  };

/** Thirty calls at once, of a program that fails if one of them fails. */
const fleet =
  (client: (n: number) => clients.Client): VerdictCase['client'] =>
  async (stage) => {
    const call = (n: number) => client(n)(stage, { path: `/pets?limit=${n + 1}` });
    const ends = await Promise.allSettled(Array.from({ length: 30 }, (_, n) => call(n)));
    if (ends.some(({ status }) => status === 'rejected')) throw new Error('a call failed');
  };

const sold = { path: '/pets?status=sold' };
const once = resending([]);
const broken: Scenario = {
  client: { key: 'free-key' },
  faults: [{ when: { first: 4 }, then: { respond: { status: 500 } } }],
};

interface Row {
  readonly name: string;
  readonly code: FindingCode;
  readonly scenario: string;
  /** A client, or its description in `verdictCases`. */
  readonly wrong: string | VerdictCase['client'];
  readonly right: string | VerdictCase['client'];
  readonly changes?: Scenario;
  /** Severity of the finding. Default: `fail`. */
  readonly severity?: 'warn';
  /** Whether a recording shows the bug. Default: true. */
  readonly isRecorded?: false;
}

const rows: Row[] = [
  {
    name: 'retries what cannot succeed',
    code: 'retried-4xx',
    scenario: 'own-mistake',
    wrong: resending([1_000, 2_000, 4_000]),
    right: once,
    severity: 'warn',
  },
  {
    name: 'retries what cannot succeed',
    code: 'retried-401',
    scenario: '401-loop',
    wrong: 'treats the 401 like the 429',
    right: 'stops at the 401',
  },
  {
    name: 'does not retry',
    code: 'gave-up',
    scenario: 'minute-wall',
    wrong: 'takes the 429 for the end',
    right: 'waits as told',
  },
  {
    name: 'does not retry',
    code: 'lost-write',
    scenario: 'post-429',
    wrong: 'repeats no POST',
    right: 'sends it again',
  },
  {
    name: 'retries for a caller that left',
    code: 'late-request',
    scenario: 'abort-while-waiting',
    wrong: 'keeps waiting, and reports when its caller left',
    right: 'ends its wait with its caller, and reports it',
    isRecorded: false,
  },
  {
    name: 'retries without a delay',
    code: 'no-delay',
    scenario: 'flaky-5xx',
    changes: broken,
    wrong: resending([2, 2, 2, 2]),
    right: resending([1_000, 2_000, 4_000, 8_000]),
    severity: 'warn',
  },
  {
    name: 'retries without a delay',
    code: 'early-retry',
    scenario: 'backoff-only',
    wrong: 'backs off by its own seconds',
    right: 'waits as told',
  },
  {
    name: 'retries without a cap',
    code: 'retry-storm',
    scenario: 'stubborn-429',
    wrong: 'comes back every second',
    right: 'waits longer each time and gives up',
  },
  {
    name: 'retries without a cap',
    code: 'no-backoff-growth',
    scenario: 'stubborn-429',
    wrong: 'comes back every second',
    right: 'waits longer each time and gives up',
  },
  {
    name: 'sends a retry with other content',
    code: 'body-changed',
    scenario: 'post-body-lost',
    wrong: 'has used up the body',
    right: 'sends the same body again',
  },
  {
    name: 'sends a retry with other content',
    code: 'changed-request',
    scenario: 'backoff-only',
    wrong: resending([31_000], (n) => (n === 0 ? sold : {})),
    right: resending([31_000], () => sold),
    severity: 'warn',
  },
  ...['post-stored-answer-lost', 'post-ambiguous'].map(
    (scenario): Row => ({
      name: 'repeats a write that may be stored',
      code: 'duplicate-write',
      scenario,
      wrong: 'repeats it blindly',
      right: 'looks before it repeats',
      isRecorded: false,
    }),
  ),
  {
    name: 'retries in several layers',
    code: 'retry-storm',
    scenario: 'nested-retries',
    wrong: 'retries in three layers',
    right: 'makes five attempts',
  },
  {
    name: 'has no retry budget',
    code: 'amplification',
    scenario: 'retry-budget',
    changes: { expect: { amplification: 1.3 } },
    wrong: fleet(() => clients.sturdy({ attempts: 4 })),
    // A budget of a fifth of the calls.
    right: fleet((n) => clients.sturdy({ attempts: n < 6 ? 2 : 1 })),
  },
  {
    name: 'retries all at once, without jitter',
    code: 'no-jitter',
    scenario: 'thundering-herd',
    wrong: 'sends all back in one moment',
    right: 'adds a random wait to each',
  },
  {
    name: 'has a timeout below the latency',
    code: 'impatient',
    scenario: 'slow',
    wrong: 'gives up after half a second and asks again',
    right: 'has patience',
  },
  {
    name: 'has a timeout below the latency',
    code: 'retry-storm',
    scenario: 'slow',
    changes: { client: { key: 'free-key' }, expect: {} },
    wrong: clients.sturdy({ timeoutMs: 100, attempts: 8 }),
    right: clients.sturdy(),
  },
  {
    name: 'has no timeout',
    code: 'gave-up',
    scenario: 'hang',
    wrong: 'waits for ever',
    right: 'has a time limit',
    isRecorded: false,
  },
  ...(
    [
      ['http-date', 'reads the date as a number', 'reads dates'],
      ['fractional', 'cuts off the fraction', 'rounds up'],
      ['reset-as-delta', 'reads an instant of 1970', 'sees the magnitude'],
    ] as const
  ).map(
    ([scenario, wrong, right]): Row => ({
      name: 'reads the wait in a wrong unit or form',
      code: 'early-retry',
      scenario,
      wrong,
      right,
    }),
  ),
  {
    name: 'reads the wait in a wrong unit or form',
    code: 'overslept',
    scenario: 'ms-in-retry-after',
    wrong: 'waits for hours',
    right: 'doubts the header',
  },
  {
    name: 'retries a quota that is gone for good',
    code: 'retried-permanent',
    scenario: 'quota-gone-for-good',
    wrong: resending([1_000, 2_000, 4_000]),
    right: once,
    severity: 'warn',
  },
  {
    name: "does not read the service's own header",
    code: 'early-retry',
    scenario: 'vendor-wait',
    wrong: resending([1_000, 1_000]),
    right: resending([3_100, 3_100]),
  },
];

function caseOf({ scenario, changes = {} }: Row, client: Row['wrong']): Omit<VerdictCase, 'does'> {
  if (typeof client !== 'string') return { client, changes };
  const known = verdictCases[scenario]?.find(({ does }) => does === client);
  if (known === undefined) throw new Error(`expected a client of ${scenario} that ${client}`);
  return { changes, ...known };
}

describe.each(rows)('$name: $code in $scenario', (row) => {
  const { code, wrong, right, severity = 'fail', isRecorded = true } = row;

  test('finds the client with the bug', async () => {
    const verdicts = await verdictsOn(row.scenario, caseOf(row, wrong));
    const severities = verdicts.map(([way, verdict]) => [way, found(verdict, code)?.severity]);
    const onRecord = isRecorded ? severity : undefined;
    expect(severities).toEqual([
      ['live', severity],
      ['HAR', onRecord],
      ['JSON Lines', onRecord],
    ]);
    // A bug that a recording cannot show is never praised.
    if (!isRecorded) for (const [, { outcome }] of verdicts.slice(1)) expect(outcome).toBe('inconclusive');
  });

  test('accuses no client without it', async () => {
    const verdicts = await verdictsOn(row.scenario, caseOf(row, right));
    expect(verdicts.map(([way, verdict]) => [way, blamed(verdict)])).toEqual(verdicts.map(([way]) => [way, []]));
  });
});

test('each rule of each class is tested here, and the documented table says which a recording shows', () => {
  const tested = (name: string) => new Set(rows.filter((row) => row.name === name).map(({ code }) => code));
  for (const { name, codes } of retryClasses) expect([name, tested(name)]).toEqual([name, new Set(codes)]);
  const documented = tableRows(userPage('docs/judging-clients.md'), '| Class |');
  for (const [name = '', , , , recorded = ''] of documented) {
    const ofClass = rows.filter((row) => row.name === name);
    const isShown = ofClass.length > 0 && ofClass.every(({ isRecorded = true }) => isRecorded);
    expect([name, recorded]).toEqual([name, isShown ? 'yes' : expect.stringMatching(/^no: /)]);
  }
});
