import { expect, test } from 'vitest';
import { judgeRecording } from '../../src/judge/judge-recording.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { fileOf, harOf, journalOf } from '../fidelity/recorded-traffic.js';
import { clients } from './clients.js';
import { commandOf } from './languages.js';
import { runProgram } from './run-program.js';
import type { TrialId } from './trials.js';

/** A verdict's codes of findings, and its remedies. */
const factsOf = ({ findings, remedies = [] }: Verdict) => ({ codes: findings.map(({ code }) => code), remedies });

/** A HAR of another recorder, in which only the request header names the client. */
function withoutOwnFields(har: string): string {
  const { log } = JSON.parse(har);
  for (const entry of log.entries) {
    entry.request.headers.push({ name: 'user-agent', value: entry._petstoreSim.client });
    delete entry._petstoreSim;
  }
  return JSON.stringify({ log });
}

const python = { tags: 'needs/python-requests' };
const curl = { tags: 'needs/curl' };
const cases: readonly (readonly [
  id: string,
  trial: TrialId,
  code: FindingCode,
  remedy: string,
  tags?: { tags: string },
])[] = [
  [
    'got',
    'post',
    'gave-up',
    "got: `retry: { limit: 4, methods: ['GET', 'POST'], calculateDelay: … }` by `retryDelayMs`",
  ],
  [
    'axios-retry',
    'missing',
    'early-retry',
    'axios with axios-retry: `retryDelay: delayOf` and `retryCondition: …`, both by `retryDelayMs`',
  ],
  [
    'axios-retry',
    'cut',
    'duplicate-write',
    'axios with axios-retry: `retryCondition: …` by `retryDelayMs`, which allows a POST only after a 429',
  ],
  ['requests', 'post', 'gave-up', 'requests: add `patiently(method, …)`', python],
  ['curl', 'stored503', 'duplicate-write', 'curl: `patiently "$method" curl …`, instead of --retry', curl],
];

for (const [id, trial, code, remedy, tags = {}] of cases) {
  test(`${id} has its setting for ${code}, live, from the journal and from a HAR`, tags, async () => {
    const client = clients.find((each) => each.id === id);
    if (client === undefined) throw new Error(`expected a client ${id}`);
    const { verdict, sim } = await runProgram(commandOf(client, 'byDefault'), trial);
    const [name, setting] = remedy.split(/: (.*)/);
    const helped = {
      codes: expect.arrayContaining([code]),
      remedies: [{ client: name, settings: expect.arrayContaining([setting]) }],
    };
    expect(factsOf(verdict)).toMatchObject(helped);

    const judged = async (text: string) => {
      const { exchanges } = await readRecording([fileOf(text, 700)], recordedPetstore);
      const { expect, client: needs } = sim.scenario;
      return factsOf(judgeRecording(exchanges, { name: sim.name, isOver: true, expect, needs, isOneKey: true }));
    };
    expect(await judged(journalOf(sim))).toMatchObject(helped);
    expect(await judged(harOf(sim))).toMatchObject(helped);
    const foreign = await judged(withoutOwnFields(harOf(sim)));
    // Only the simulator knows that a pet was stored twice.
    if (code === 'duplicate-write') expect(foreign.codes).not.toContain(code);
    else expect(foreign).toMatchObject(helped);
  });
}
