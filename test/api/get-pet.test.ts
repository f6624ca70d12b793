import { expect, test } from 'vitest';
import { describeOverHttp, errorOf, noonSeconds, rate, threePets } from '../support/adapters.js';

const noSuchPet = expect.stringMatching(/petId\.$/);

describeOverHttp('getPet', (open) => {
  test('returns one pet', async () => {
    const { get } = await open();
    const answer = await get('/pets/2');
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual(threePets[1]);
    expect(rate(answer)).toEqual([60, 59, noonSeconds + 60]);
    expect(answer.headers.has('deprecation')).toBe(false);
    expect(answer.headers.has('sunset')).toBe(false);
  });

  test.each(['9223372036854775807', '-9223372036854775808', '9007199254740993', '0', '-1'])(
    'finds the pet with the id %s',
    async (text) => {
      const { get } = await open({ pets: [{ id: BigInt(text), name: 'Far', categoryId: 1 }] });
      const answer = await get(`/pets/${text}`);
      expect(answer.status).toBe(200);
      expect(answer.bodyText).toBe(`{"id":${text},"name":"Far","categoryId":1,"status":"available"}`);
      expect(rate(answer)).toEqual([60, 59, noonSeconds + 60]);
    },
  );

  test.each([
    '4',
    '9007199254740993',
    '9223372036854775808',
    '-9223372036854775809',
    '1'.repeat(1_000),
    '01',
    '+1',
    '1.0',
    '1e0',
    '0x1',
    '-0',
    '%2531',
    '%201',
    '1%20',
    'rex',
    '1,2',
    'null',
    '__proto__',
    '%E0%A4%A',
    '1;v=2',
  ])('responds with 404 to /pets/%s', async (text) => {
    const { get } = await open();
    const answer = await get(`/pets/${text}`);
    expect(answer.status).toBe(404);
    expect(answer.json).toEqual(errorOf(404, 'not_found', noSuchPet));
    expect(rate(answer)).toEqual([60, 59, noonSeconds + 60]);
  });

  test('ignores the query', async () => {
    const { get } = await open();
    const answer = await get('/pets/1?limit=0&status=lost');
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual(threePets[0]);
  });

  test('responds until the day of its removal, and with 404 from then on', async () => {
    const { get, sim } = await open();
    sim.clock.set('2030-12-04T23:59:59.999Z');
    expect((await get('/pets/1')).status).toBe(200);
    sim.clock.advance('1ms');
    const answer = await get('/pets/1');
    expect(answer.status).toBe(404);
    expect(answer.json).toEqual(
      errorOf(404, 'not_found', 'getPet was removed on 5 December 2030; use GET /pets with the status filter.'),
    );
    expect(rate(answer)).toEqual([60, 58, Date.UTC(2030, 11, 5) / 1000 + 59]);
    expect((await get('/pets?status=available')).json).toEqual([threePets[0]]);
  });
});
