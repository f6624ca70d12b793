import { expect, test } from 'vitest';
import { judgeRecording } from '../../src/judge/judge-recording.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import { recordedPetstore } from '../../src/petstore/document.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { fileOf, harOf, journalOf } from '../fidelity/recorded-traffic.js';
import { clients } from './clients.js';
import { commandOf } from './languages.js';
import { runProgram } from './run-program.js';
import type { TrialId } from './trials.js';

const remediesOf = ({ findings }: Verdict) => findings.map(({ code, remedy }) => [code, remedy]);

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
    "got: `retry: { limit: 4, methods: ['GET', 'POST'], calculateDelay: … }` by `retryDelayMs`; see docs/clients/node.md#got",
  ],
  [
    'axios-retry',
    'missing',
    'early-retry',
    'axios with axios-retry: `retryDelay: delayOf` and `retryCondition: …`, both by `retryDelayMs`; see docs/clients/node.md#axios-with-axios-retry',
  ],
  [
    'axios-retry',
    'cut',
    'duplicate-write',
    'axios with axios-retry: `retryCondition: …` by `retryDelayMs`, which allows a POST only after a 429; see docs/clients/node.md#axios-with-axios-retry',
  ],
  ['requests', 'post', 'gave-up', 'requests: add `patiently(method, …)`; see docs/clients/python.md#requests', python],
  [
    'curl',
    'stored503',
    'duplicate-write',
    'curl: `patiently "$method" curl …`, instead of --retry; see docs/clients/shell.md#curl',
    curl,
  ],
];

for (const [id, trial, code, remedy, tags = {}] of cases) {
  test(`${id} has its setting for ${code}, live, from the journal and from a HAR`, tags, async () => {
    const client = clients.find((each) => each.id === id);
    if (client === undefined) throw new Error(`expected a client ${id}`);
    const { verdict, sim } = await runProgram(commandOf(client, 'byDefault'), trial);
    expect(remediesOf(verdict)).toContainEqual([code, remedy]);

    const judged = async (text: string) => {
      const { exchanges } = await readRecording([fileOf(text, 700)], recordedPetstore);
      const { expect, client: needs } = sim.scenario;
      return remediesOf(judgeRecording(exchanges, { name: sim.name, isOver: true, expect, needs, isOneKey: true }));
    };
    // The exit code of the client's command is not in a recording, so that giving up has another severity there.
    const isSame = ([each]: readonly unknown[]) => each === code;
    const live = remediesOf(verdict).filter(isSame);
    expect((await judged(journalOf(sim))).filter(isSame)).toEqual(live);
    expect((await judged(harOf(sim))).filter(isSame)).toEqual(live);
    const foreign = (await judged(withoutOwnFields(harOf(sim)))).filter(isSame);
    // Only the simulator knows that a pet was stored twice.
    expect(foreign).toEqual(code === 'duplicate-write' ? [] : live);
  });
}
