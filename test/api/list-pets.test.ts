import { expect, test } from 'vitest';
import { documentedPlans } from '../../src/petstore/document.js';
import {
  describeOverHttp,
  expectAnswer,
  firstRate,
  invalid,
  noonSeconds,
  rate,
  threePets,
} from '../support/adapters.js';

const { minute: perMinute } = documentedPlans.free;

const manyPets = Array.from({ length: 120 }, (_, index) => ({
  id: index + 1,
  name: `Pet ${index + 1}`,
  categoryId: 1,
  status: (['available', 'pending', 'sold'] as const)[index % 3],
}));

const ids = (pets: { id: number }[]) => pets.map(({ id }) => id);
const limitRange = 'it must be a whole number from 1 to 100.';
const anyStatus = 'it must be one of available, pending, sold.';

describeOverHttp('listPets', (open) => {
  test('returns every pet in a plain array', async () => {
    const { get } = await open();
    const answer = await get('/pets');
    expect(answer.status).toBe(200);
    expect(answer.bodyText).toBe(
      '[{"id":1,"name":"Rex","categoryId":1,"status":"available"},{"id":2,"name":"Milo","categoryId":2,"status":"pending"},{"id":3,"name":"Luna","categoryId":3,"status":"sold"}]',
    );
    expect(rate(answer)).toEqual(firstRate);
    expect(answer.headers.has('link')).toBe(false);
  });

  test('returns an empty array if no pet matches', async () => {
    const { get } = await open({ pets: [] });
    expectAnswer(await get('/pets?status=sold'), 200, [], firstRate);
  });

  test.each([
    ['', 20],
    ['?limit=1', 1],
    ['?limit=20', 20],
    ['?limit=100', 100],
    ['?status=sold&limit=100', 40],
  ])('responds to GET /pets%s with %i pets', async (query, count) => {
    const { get } = await open({ pets: manyPets });
    const answer = await get(`/pets${query}`);
    expect(answer.status).toBe(200);
    expect(answer.json).toHaveLength(count);
    expect(rate(answer)).toEqual(firstRate);
  });

  test('lists in the order of the identifiers, in any order of the scenario', async () => {
    const { get, post } = await open({ pets: [...threePets].reverse(), ids: { start: 1 } });
    expect(ids((await get('/pets')).json)).toEqual([1, 2, 3]);
    await post({ name: 'Last', categoryId: 1 });
    expect(ids((await get('/pets')).json)).toEqual([1, 2, 3, 4]);
  });

  test.each(['available', 'pending', 'sold'])('filters by the status %s before it limits', async (status) => {
    const { get } = await open({ pets: manyPets });
    const expected = manyPets.filter((pet) => pet.status === status).slice(0, 5);
    expectAnswer(await get(`/pets?status=${status}&limit=5`), 200, expected, firstRate);
  });

  test('reads percent-encoded and repeatedly separated parameters', async () => {
    const { get } = await open({ pets: manyPets });
    const answer = await get('/pets?&limit=%35&&%73tatus=sold&');
    expect(answer.status).toBe(200);
    expect(ids(answer.json)).toEqual([3, 6, 9, 12, 15]);
  });

  test('includes a pet from the moment of its creation', async () => {
    const { get, post } = await open();
    const created = await post({ name: 'Nala', categoryId: 2, status: 'sold' });
    const expected = [threePets[2], created.json];
    expectAnswer(await get('/pets?status=sold'), 200, expected, [perMinute, perMinute - 2, noonSeconds + 60]);
  });

  const limits = ['0', '101', '-1', '', 'ten', '1.5', '1e1', '0x10', '+5', '05', ' 5', '9223372036854775808'];
  const statuses = ['lost', '', 'Sold', 'sold,pending', '__proto__'];
  test.each([
    ...limits.map((text) => [`limit=${encodeURIComponent(text)}`, `limit is "${text}"; ${limitRange}`]),
    ...statuses.map((text) => [`status=${text}`, `status is "${text}"; ${anyStatus}`]),
    ['limit=1&limit=2', `limit is given more than once; ${limitRange}`],
    ['status=sold&status=sold', `status is given more than once; ${anyStatus}`],
  ])('rejects %s with 400', async (query, message) => {
    const { get } = await open();
    expectAnswer(await get(`/pets?${query}`), 400, invalid(message), firstRate);
  });

  test('repeats at most the start of a long invalid value', async () => {
    const { get } = await open();
    const answer = await get(`/pets?status=${'x'.repeat(4000)}`);
    expect(answer.status).toBe(400);
    expect(answer.json.message.length).toBeLessThan(120);
    expect(answer.json.message).toContain(`${'x'.repeat(40)}…`);
  });
});
