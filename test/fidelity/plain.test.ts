import { expect, test } from 'vitest';
import { calibrate } from '../../src/fidelity/ask-service/calibrate.js';
import { writeQuestions } from '../../src/fidelity/ask-service/questions.js';
import { Learner } from '../../src/fidelity/deduce/learner.js';
import type { Subject } from '../../src/fidelity/deduce/observation.js';
import { ServiceFacts } from '../../src/fidelity/deduce/service-facts.js';
import { fictitiousKey } from '../../src/traffic-files/key-names.js';
import { type PlainSettings, plainService, plainSettings } from './foreign-service.js';
import { asking } from './hidden-worlds.js';

const options = { ...asking, allowsExhaust: true };

const learn = (settings: Partial<PlainSettings>, allowsWrite = false) =>
  calibrate(plainService({ ...plainSettings, ...settings }), { ...options, allowsWrite });

/** The choices among these that are called certain. */
const certainOf = async (settings: Partial<PlainSettings>, subjects: readonly Subject[]) => {
  const { learner } = await learn(settings);
  return subjects.filter((subject) => learner.about(subject).state === 'certain');
};

test('a limit with another status is not a ban', async () => {
  const service = plainService({ ...plainSettings, limit: 9 });
  const send: typeof service.send = async (probe) => {
    const answer = await service.send(probe);
    return answer.status === 429 ? { ...answer, status: 403, body: answer.body.replace('429', '403') } : answer;
  };
  const { learner, exchanges } = await calibrate({ ...service, send }, { ...options, allowsBan: true, budget: 60 });
  expect(exchanges.some(({ status }) => status === 403)).toBe(true);
  expect(learner.bans).toBe(0);
  expect(learner.about('banStatus').state).toBe('not asked');
  expect(learner.about('algorithm')).toMatchObject({ state: 'certain', value: 'fixed-window' });
  expect(learner.contradictions.map(({ observation }) => observation.description)).toContainEqual(
    expect.stringMatching(/^a limit refused with 403; "When a request exceeds the limit/),
  );
});

test('the form of Retry-After is asked for by one request more than remain', async () => {
  /** Number of requests to a service that always says that so many remain, so that no experiment explains its limit. */
  const requestsWith = async (remaining: number) => {
    const service = plainService({ ...plainSettings, limit: 1_000 });
    const send: typeof service.send = async (probe) => {
      const answer = await service.send(probe);
      const shown = (name: string, value: string) => (/remaining/i.test(name) ? `${remaining}` : value);
      return { ...answer, headers: answer.headers.map(([name, value]) => [name, shown(name, value)]) };
    };
    return (await calibrate({ ...service, send }, options)).exchanges.length;
  };
  const none = await requestsWith(0);
  expect([await requestsWith(1), await requestsWith(2)]).toEqual([none + 1, none + 2]);
});

test('an invented key with other limits gives no evidence about the limits of a plan', async () => {
  const service = plainService(plainSettings);
  const send: typeof service.send = async (probe) => {
    if (probe.token !== fictitiousKey) return service.send(probe);
    const answer = await service.send({ ...probe, token: 'none' });
    const reset = Math.floor(service.now() / 1000) + 7;
    const rate = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '60', 'x-ratelimit-reset': `${reset}` };
    return { ...answer, status: 200, body: '[]', headers: [...answer.headers, ...Object.entries(rate)] };
  };
  const { learner } = await calibrate({ ...service, send }, options);
  expect(learner.about('acceptAnyKey')).toMatchObject({ state: 'certain', value: true });
  expect(learner.about('algorithm')).toMatchObject({ state: 'certain', value: 'fixed-window' });
});

const unlike: [string, Partial<PlainSettings>][] = [
  ['a list costs 2', { listCost: 2 }],
  ['every second request is counted', { countsEvery: 2 }],
  ['two instances share the traffic', { instances: 2 }],
  ['three instances share the traffic', { instances: 3 }],
];

test.each(unlike)('the limits of a plan are not certain where %s', async (_, settings) => {
  const { startMs } = plainSettings;
  for (const algorithm of ['fixed-window', 'sliding-log', 'token-bucket'] as const) {
    for (const limit of [7, 12, 25]) {
      for (const later of [0, 17_777]) {
        const world = { ...settings, algorithm, limit, startMs: startMs + later };
        expect(await certainOf(world, ['enterpriseLimits']), JSON.stringify(world)).toEqual([]);
      }
    }
  }
});

test.each<[PlainSettings['pages'], string]>([
  ['none', 'certain'],
  ['page', 'contradicted'],
  ['offset', 'contradicted'],
  ['both', 'contradicted'],
])('paging is none only if no parameter shows a second page, for a service with pages by %s', async (pages, state) => {
  const { learner, exchanges } = await learn({ pages });
  const { evidence, ...paging } = learner.about('paging');
  expect(paging.state).toBe(state);
  if (state === 'certain') expect(paging.value).toBe('none');
  else expect(evidence.at(-1)).toContain("none of the simulator's choices responds like this");
  const asked = exchanges.filter(({ query }) => /page=2|offset=1/.test(query));
  expect(asked.length).toBeLessThanOrEqual(2);
});

test('a missing Link alone makes paging none likely', async () => {
  const { learner, exchanges } = await learn({ pages: 'none' });
  const passive = new Learner();
  for (const exchange of exchanges) {
    if (!/page=2|offset=1/.test(exchange.query)) passive.add(exchange);
  }
  expect(learner.about('paging').state).toBe('certain');
  expect(passive.about('paging')).toMatchObject({ state: 'likely', value: 'none' });
});

const written = ['unknownCategory', 'unknownFields', 'emptyName'] as const;

test.each<[PlainSettings['refuses'][number], Partial<Record<(typeof written)[number], unknown>>]>([
  ['status', {}],
  ['digits', { unknownFields: 'ignore', emptyName: 'accept' }],
  ['unknown-category', { unknownCategory: 'reject', unknownFields: 'ignore', emptyName: 'accept' }],
  ['unknown-field', { unknownCategory: 'accept', unknownFields: 'reject', emptyName: 'accept' }],
  ['empty-name', { unknownCategory: 'accept', unknownFields: 'ignore', emptyName: 'reject' }],
])('a refusal counts only with its control, where a service refuses %s', async (feature, expected) => {
  const { learner } = await learn({ refuses: [feature] }, true);
  const certain = written.map((about) => learner.about(about)).filter(({ state }) => state === 'certain');
  expect(Object.fromEntries(certain.map(({ about, value }) => [about, value]))).toEqual(expected);
  expect(learner.facts.created.size).toBeLessThanOrEqual(6);
});

const categories: [known: number[], nearest: string][] = [
  [[1, 2, 3, 4], '5'],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9], '10'],
  [[9, 8], '7'],
  [[99, 1], '98'],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], '11'],
];

test.each(categories)('the control for an unknown category is adjacent to a known one of %j', (known, nearest) => {
  const facts = new ServiceFacts();
  for (const each of known) facts.categories.add(each);
  const control = writeQuestions.find(({ id }) => id === 'nearestCategory');
  expect(JSON.parse(control?.probe(facts)?.body ?? '{}').categoryId).toBe(Number(nearest));
});
