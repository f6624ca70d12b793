import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPetstoreFiles } from '../../src/cli/recorded-files.js';
import { describeUnknown } from '../../src/fidelity/deduce/knowledge-costs.js';
import { Learner } from '../../src/fidelity/deduce/learner.js';
import { noonSeconds } from '../support/frozen.js';
import { newFolder } from '../support/new-folder.js';

type Recorded = readonly [method: string, path: string, status: number, body?: unknown];

const pet = { id: 1, name: 'Bello', categoryId: 1, status: 'available' };
const notFound = { code: 'not_found', message: 'Pet not found.', status: 404 };
const limitHeaders = {
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '50',
  'X-RateLimit-Reset': `${noonSeconds + 60}`,
};

/** Reads a HAR of a service with operations that the Petstore does not have. */
async function read(recorded: readonly Recorded[]) {
  const folder = newFolder();
  const file = join(folder, 'own.har');
  const pairs = (headers: object) => Object.entries(headers).map(([name, value]) => ({ name, value }));
  const entries = recorded.map(([method, path, status, body], index) => {
    const isPets = path.startsWith('/pets');
    return {
      startedDateTime: new Date((noonSeconds + index) * 1_000).toISOString(),
      time: 5,
      timings: { send: 0, wait: 5, receive: 0 },
      request: { method, url: `https://shop.example/v1${path}`, headers: pairs({ Authorization: 'Bearer own' }) },
      response: {
        status,
        headers: pairs({ 'Content-Type': 'application/json', ...(isPets && limitHeaders) }),
        content: { text: body === undefined ? '' : JSON.stringify(body) },
      },
    };
  });
  await writeFile(file, JSON.stringify({ log: { version: '1.2', creator: { name: 'own', version: '1' }, entries } }));
  return (await readPetstoreFiles([file])).exchanges;
}

const learn = async (recorded: readonly Recorded[]) => new Learner(await read(recorded));

const contradictions = ({ contradictions }: Learner) =>
  contradictions.map(({ observation }) => observation.description);

describe('a pet that a list has shown', () => {
  const gone = 'answered with 404, though a list had shown this pet';
  const list: Recorded = ['GET', '/pets', 200, [pet]];
  const missing: Recorded = ['GET', '/pets/1', 404, notFound];

  test.each<[string, Recorded[], string[]]>([
    ['and nobody deleted must be found', [], [gone]],
    ['may be gone after its DELETE', [['DELETE', '/pets/1', 204]], []],
    ['may be gone after a DELETE whose response was lost', [['DELETE', '/pets/1', 0]], []],
    ['must be found after a rejected DELETE', [['DELETE', '/pets/1', 403, { ...notFound, status: 403 }]], [gone]],
    ['must be found after the DELETE of another', [['DELETE', '/pets/2', 204]], [gone]],
    ['must be found if it was shown again after its DELETE', [['DELETE', '/pets/1', 204], list], [gone]],
  ])('%s', async (_, between, expected) => {
    expect(contradictions(await learn([list, ...between, missing]))).toEqual(expected);
  });
});

test('reads a recording that is mostly of other paths, whose responses contradict nothing', async () => {
  const others = Array.from({ length: 9 }, (_, index): Recorded => ['GET', `/orders/${index}`, 200, { id: index }]);
  const learner = await learn([...others, ['GET', '/pets', 200, [pet]], ['GET', '/carts', 404, 'none']]);
  expect(contradictions(learner)).toEqual([]);
  expect(learner.facts.total).toBe(1);
});

describe('query parameters of the service itself', () => {
  const invalid = { code: 'invalid_request', message: 'What?', status: 400 };
  const accepted: Recorded = ['GET', '/pets?sort=asc', 200, [pet]];
  const rejected: Recorded = ['GET', '/pets?sort=upwards', 400, invalid];

  test('are accepted or rejected without a contradiction, and the report says what would tell more', async () => {
    const knowledge = (await learn([accepted, rejected])).about('unknownQuery');
    expect(knowledge.state).toBe('not asked');
    expect(describeUnknown(knowledge)).toContain('made-up parameter');
  });

  test('alone are no proof, and a made-up parameter is one', async () => {
    expect((await learn([accepted])).about('unknownQuery')).toMatchObject({ state: 'likely', value: 'ignore' });
    const learner = await learn([rejected]);
    expect(learner.about('unknownQuery')).toMatchObject({ state: 'likely', value: 'reject' });
    for (const exchange of await read([['GET', '/pets?made-up=1', 200, [pet]]]))
      learner.add({ ...exchange, question: 'unknownQuery' });
    expect(learner.about('unknownQuery')).toMatchObject({ state: 'certain', value: 'ignore' });
  });
});
