import { expect, test } from 'vitest';
import { describeOverHttp, errorOf, expectAnswer, firstRate, rate, threePets } from '../support/adapters.js';

const noSuchPet = expect.stringMatching(/petId\.$/);

describeOverHttp('getPet', (open) => {
  test('returns one pet', async () => {
    const { get } = await open();
    const answer = await get('/pets/2');
    expectAnswer(answer, 200, threePets[1], firstRate);
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
      expect(rate(answer)).toEqual(firstRate);
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
    expectAnswer(await get(`/pets/${text}`), 404, errorOf(404, 'not_found', noSuchPet), firstRate);
  });
});
