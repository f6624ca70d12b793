import { expect, test } from 'vitest';
import { describeOverHttp, errorOf, noonSeconds, rate, threePets } from '../support/adapters.js';

const manyPets = Array.from({ length: 120 }, (_, index) => ({
  id: index + 1,
  name: `Pet ${index + 1}`,
  categoryId: 1,
  status: (['available', 'pending', 'sold'] as const)[index % 3],
}));

const ids = (pets: { id: number }[]) => pets.map(({ id }) => id);
const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

describeOverHttp('listPets', (open) => {
  test('returns every pet in a plain array', async () => {
    const { get } = await open();
    const answer = await get('/pets');
    expect(answer.status).toBe(200);
    expect(answer.bodyText).toBe(
      '[{"id":1,"name":"Rex","categoryId":1,"status":"available"},{"id":2,"name":"Milo","categoryId":2,"status":"pending"},{"id":3,"name":"Luna","categoryId":3,"status":"sold"}]',
    );
    expect(rate(answer)).toEqual([60, 59, noonSeconds + 60]);
    expect(answer.headers.has('link')).toBe(false);
  });

  test('returns an empty array if no pet matches', async () => {
    const { get } = await open({ pets: [] });
    const answer = await get('/pets?status=sold');
    expect(answer.status).toBe(200);
    expect(answer.bodyText).toBe('[]');
    expect(rate(answer)).toEqual([60, 59, noonSeconds + 60]);
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
    expect(rate(answer)).toEqual([60, 59, noonSeconds + 60]);
  });

  test('lists in the order of the identifiers, in any order of the scenario', async () => {
    const { get, post } = await open({ pets: [...threePets].reverse(), ids: { start: 1 } });
    expect(ids((await get('/pets')).json)).toEqual([1, 2, 3]);
    await post({ name: 'Last', categoryId: 1 });
    expect(ids((await get('/pets')).json)).toEqual([1, 2, 3, 4]);
  });

  test.each(['available', 'pending', 'sold'])('filters by the status %s before it limits', async (status) => {
    const { get } = await open({ pets: manyPets });
    const answer = await get(`/pets?status=${status}&limit=5`);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual(manyPets.filter((pet) => pet.status === status).slice(0, 5));
    expect(rate(answer)).toEqual([60, 59, noonSeconds + 60]);
  });

  test('reads percent-encoded and repeatedly separated parameters', async () => {
    const { get } = await open({ pets: manyPets });
    const answer = await get('/pets?&limit=%35&&%73tatus=sold&');
    expect(answer.status).toBe(200);
    expect(ids(answer.json)).toEqual([3, 6, 9, 12, 15]);
  });

  test('returns the first page again for parameters that the document does not name', async () => {
    const { get } = await open({ pets: manyPets });
    const answer = await get('/pets?page=2&offset=20&cursor=x&limit=3');
    expect(answer.status).toBe(200);
    expect(ids(answer.json)).toEqual(from(1, 3));
    expect(answer.headers.has('link')).toBe(false);
  });

  test('includes a pet from the moment of its creation', async () => {
    const { get, post } = await open();
    const created = await post({ name: 'Nala', categoryId: 2, status: 'sold' });
    const answer = await get('/pets?status=sold');
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual([threePets[2], created.json]);
    expect(rate(answer)).toEqual([60, 58, noonSeconds + 60]);
  });

  test.each([
    ['limit=0', 'limit is "0"; it must be a whole number from 1 to 100.'],
    ['limit=101', 'limit is "101"; it must be a whole number from 1 to 100.'],
    ['limit=-1', 'limit is "-1"; it must be a whole number from 1 to 100.'],
    ['limit=', 'limit is ""; it must be a whole number from 1 to 100.'],
    ['limit=ten', 'limit is "ten"; it must be a whole number from 1 to 100.'],
    ['limit=1.5', 'limit is "1.5"; it must be a whole number from 1 to 100.'],
    ['limit=1e1', 'limit is "1e1"; it must be a whole number from 1 to 100.'],
    ['limit=0x10', 'limit is "0x10"; it must be a whole number from 1 to 100.'],
    ['limit=%2B5', 'limit is "+5"; it must be a whole number from 1 to 100.'],
    ['limit=05', 'limit is "05"; it must be a whole number from 1 to 100.'],
    ['limit=%205', 'limit is " 5"; it must be a whole number from 1 to 100.'],
    ['limit=9223372036854775808', 'limit is "9223372036854775808"; it must be a whole number from 1 to 100.'],
    ['limit=1&limit=2', 'limit is given more than once; it must be a whole number from 1 to 100.'],
    ['status=lost', 'status is "lost"; it must be one of available, pending, sold.'],
    ['status=', 'status is ""; it must be one of available, pending, sold.'],
    ['status=Sold', 'status is "Sold"; it must be one of available, pending, sold.'],
    ['status=sold,pending', 'status is "sold,pending"; it must be one of available, pending, sold.'],
    ['status=sold&status=sold', 'status is given more than once; it must be one of available, pending, sold.'],
    ['status=__proto__', 'status is "__proto__"; it must be one of available, pending, sold.'],
  ])('rejects %s with 400', async (query, message) => {
    const { get } = await open();
    const answer = await get(`/pets?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual(errorOf(400, 'invalid_request', message));
    expect(rate(answer)).toEqual([60, 59, noonSeconds + 60]);
  });

  test('repeats at most the start of a long invalid value', async () => {
    const { get } = await open();
    const answer = await get(`/pets?status=${'x'.repeat(4000)}`);
    expect(answer.status).toBe(400);
    expect(answer.json.message.length).toBeLessThan(120);
    expect(answer.json.message).toContain(`${'x'.repeat(40)}…`);
  });
});
