import { expect, test } from 'vitest';
import { calibrate } from '../../src/fidelity/ask-service/calibrate.js';
import type { Probe } from '../../src/fidelity/ask-service/questions.js';
import type { ServiceResponse, Transport } from '../../src/fidelity/ask-service/service-client.js';
import { knowledgeLines } from '../../src/fidelity/deduce/knowledge-lines.js';
import type { Subject } from '../../src/fidelity/deduce/observation.js';
import { calibratedScenario } from '../../src/fidelity/deduce/scenario-text.js';
import { asking, type HiddenWorld, hiddenWorld } from './hidden-worlds.js';

/** A service with limits on all operations that the headers show, so that every lie about them can be seen. */
const plainWorld = () => {
  for (let seed = 1; ; seed++) {
    const world = hiddenWorld(seed, 'second');
    const { limitsApply, algorithm, reportedWindow } = world.choices;
    const isPlain = limitsApply === 'all' && algorithm === 'fixed-window' && reportedWindow === 'minute';
    if (isPlain && world.limits.minute >= 60 && world.usage.minute < 10) return world;
  }
};

type Asked = (probe: Probe) => boolean;
type Change = (answer: ServiceResponse, probe: Probe) => ServiceResponse;

/** A change of the answers to these questions alone. */
const to =
  (isAsked: Asked, change: Change): Change =>
  (answer, probe) =>
    isAsked(probe) ? change(answer, probe) : answer;

/** A change whose number rises by one from answer to answer. */
const rising = (change: (answer: ServiceResponse, sent: number) => ServiceResponse): Change => {
  let sent = 0;
  return (answer) => change(answer, sent++);
};

const header = (answer: ServiceResponse, name: string, change: (value: string) => string): ServiceResponse => ({
  ...answer,
  headers: answer.headers.map(([each, value]) => [each, each === name ? change(value) : value]),
});
const body = (answer: ServiceResponse, change: (body: never) => unknown): ServiceResponse => ({
  ...answer,
  body: JSON.stringify(change(JSON.parse(answer.body) as never)),
});
const without = (answer: ServiceResponse, prefix: string): ServiceResponse => ({
  ...answer,
  headers: answer.headers.filter(([name]) => !name.startsWith(prefix)),
});
const replaced = (answer: ServiceResponse, name: string, value: string): ServiceResponse => ({
  ...answer,
  headers: [...without(answer, name).headers, [name, value]],
});
const isList: Asked = ({ target }) => target === '/pets?limit=100';
const asks =
  (question: string): Asked =>
  (probe) =>
    probe.question === question;
const error = (status: number) => ({ status, body: `{"code":"bad","message":"no","status":${status}}` });

async function learn(world: HiddenWorld, change: Change) {
  const transport: Transport = {
    ...world.transport,
    send: async (probe) => change(await world.transport.send(probe), probe),
  };
  return calibrate(transport, asking);
}

const lies: [name: string, about: Subject, place: RegExp, change: Change][] = [
  [
    'sorts its list by name',
    'listOrder',
    /#1 GET \/pets\?limit=100: 40 pets, sorted by name/,
    to(isList, (answer) => body(answer, (pets: { name: string }[]) => pets.sort((a, b) => (a.name < b.name ? -1 : 1)))),
  ],
  [
    'answers 422 to a limit out of range',
    'limitOutOfRange',
    /#3 GET \/pets\?limit=0: answered with 422/,
    to(
      ({ question }) => question.startsWith('limit') && question !== 'limits',
      (answer) => ({ ...answer, ...error(422) }),
    ),
  ],
  [
    'rejects one limit out of range and cuts another',
    'limitOutOfRange',
    /#4 GET \/pets\?limit=101/,
    (answer, { question }) => {
      if (question === 'limitOutOfRange') return { ...answer, ...error(400) };
      return question === 'limitTooLarge' ? { ...answer, status: 200, body: '[]' } : answer;
    },
  ],
  [
    'pages by another parameter',
    'paging',
    /#1 GET \/pets\?limit=100: a Link to the next page, with start in its query/,
    (answer) => replaced(answer, 'link', '<https://foreign.example/v1/pets?start=1>; rel="next"'),
  ],
  [
    'wraps its list in an object',
    'document',
    /#1 GET \/pets\?limit=100: a body that is not an array/,
    to(isList, (answer) => body(answer, (items) => ({ items }))),
  ],
  [
    'leaves the rate-limit headers out of 404',
    'document',
    /#\d+ GET \/pets\/petstore-sim-probe: no whole number in X-RateLimit-Limit/,
    to(asks('malformedPetId'), (answer) => without(answer, 'x-ratelimit')),
  ],
  [
    'sends errors without a code',
    'document',
    /whose body is no Error/,
    (answer) =>
      answer.status === 404
        ? body(answer, ({ message, status }: Record<string, unknown>) => ({ message, status }))
        : answer,
  ],
  [
    'resets eleven seconds later each time',
    'algorithm',
    /#\d+ .*reset in \d+ s; no combination/,
    rising((answer, sent) => header(answer, 'x-ratelimit-reset', (value) => String(Number(value) + 11 * sent))),
  ],
  [
    'lets Remaining rise',
    'algorithm',
    /#\d+ .*; no combination of algorithm/,
    rising((answer, sent) =>
      header(answer, 'x-ratelimit-remaining', (value) => String(Math.min(Number(value), 20) + sent)),
    ),
  ],
  [
    'says Sunset without Deprecation',
    'deprecation',
    /Sunset without Deprecation/,
    to(asks('deprecation'), (answer) =>
      replaced(without(answer, 'deprecation'), 'sunset', 'Thu, 05 Dec 2030 00:00:00 GMT'),
    ),
  ],
  [
    'has RateLimit fields of another shape',
    'rateLimitFields',
    /RateLimit: limit=60/,
    (answer) => replaced(answer, 'ratelimit', 'limit=60, remaining=3'),
  ],
];

test.each(lies)(
  'a service that %s contradicts every assumption, and the report names the place',
  async (_, about, place, change) => {
    const { learner } = await learn(plainWorld(), change);
    const lines = knowledgeLines(learner).join('\n');
    if (about === 'document') expect(learner.contradictions.length).toBeGreaterThan(0);
    else expect(learner.about(about)).toMatchObject({ state: 'contradicted', left: [] });
    expect(lines).toMatch(place);
    expect(lines).not.toMatch(/, 0 contradicted/);
    const source = { from: 'https://x.example/v1', at: '2026-01-01T00:00:00Z', requests: 40 };
    const text = calibratedScenario(learner, source);
    expect(text).toContain('# Contradicted');
    if (about !== 'document') expect(text).not.toMatch(new RegExp(`^ {2}${about}:`, 'm'));
  },
);

test('a key with other users leaves nothing about limits certain, and the report says so', async () => {
  let used = 0;
  const { learner } = await learn(plainWorld(), (answer, { token }) =>
    token === 'own' ? header(answer, 'x-ratelimit-remaining', (value) => String(Number(value) - used++)) : answer,
  );
  const joint = ['limitsApply', 'algorithm', 'windowStart', 'rejectedCounts', 'reportedWindow'] as const;
  expect(joint.map((about) => learner.about(about).state)).not.toContain('certain');
  expect(knowledgeLines(learner).join('\n')).toMatch(
    /other clients use this key, a request costs more than one, or several instances/,
  );
});

test('the same service without an error contradicts nothing', async () => {
  const { learner } = await learn(plainWorld(), (answer) => answer);
  expect(knowledgeLines(learner).at(-1)).toMatch(/, 0 contradicted$/);
});
