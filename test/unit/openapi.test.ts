import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { assumptions, openapi } from '../../src/entries/index.js';
import { describeService } from '../../src/petstore/openapi.js';
import { type Json, resolved as resolvedIn } from '../control-api/described.js';

// biome-ignore lint/suspicious/noExplicitAny: the description is plain JSON, looked into by path
const { info, servers, paths, components, security } = openapi as any;
const listPets = paths['/pets'].get;
const createPet = paths['/pets'].post;
const getPet = paths['/pets/{petId}'].get;

/** All values of a property name, anywhere in the description. */
function* valuesOf(name: string, value: unknown): Iterable<unknown> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === name) yield inner;
    yield* valuesOf(name, inner);
  }
}

const resolved = (value: Json) => resolvedIn(openapi as Json, value);

describe('the OpenAPI description', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(openapi));
    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('is plain JSON with references', () => {
    expect(JSON.parse(JSON.stringify(openapi))).toEqual(openapi);
    expect([...valuesOf('$ref', openapi)].length).toBeGreaterThan(30);
  });

  test('has the version of the document', () => expect(info.version).toBe('1.0.0'));

  test('lists the simulator first, then examples of both base URLs, without variables', () => {
    expect(servers.map(({ url }: { url: string }) => url)).toEqual([
      'http://127.0.0.1:4010/v1',
      'https://api.petstore.example/v1',
      'https://staging.petstore.example/v1',
    ]);
    expect(servers[1].description).toContain('{base_url}');
    expect(servers[2].description).toContain('{staging_url}');
    expect(describeService('http://127.0.0.1:5/s/a/v1').servers).toMatchObject([
      { url: 'http://127.0.0.1:5/s/a/v1' },
      {},
      {},
    ]);
    expect([...valuesOf('variables', openapi)]).toEqual([]);
  });

  test('requires a bearer token on every operation', () => {
    expect(security).toEqual([{ bearer: [] }]);
    expect(components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' });
    expect([...valuesOf('security', paths)]).toEqual([]);
  });

  test('has the two query parameters of listPets with their bounds', () => {
    expect(listPets.parameters).toMatchObject([
      { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
      { name: 'status', in: 'query', schema: { $ref: '#/components/schemas/PetStatus' } },
    ]);
    expect(listPets.parameters.some(({ required }: { required?: boolean }) => required)).toBe(false);
  });

  test('has the schemas of the document', () => {
    const { PetStatus, NewPet, Pet, Pets, Error: ErrorSchema } = components.schemas;
    expect(PetStatus).toMatchObject({ type: 'string', enum: ['available', 'pending', 'sold'] });
    expect(NewPet.required).toEqual(['name', 'categoryId']);
    expect(Object.keys(NewPet.properties)).toEqual(['name', 'categoryId', 'status']);
    expect(Pet.allOf[0]).toEqual({ $ref: '#/components/schemas/NewPet' });
    expect(Pet.allOf[1].required).toEqual(['id']);
    expect(Pets).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/Pet' } });
    expect(ErrorSchema.required).toEqual(['code', 'message', 'status']);
    for (const field of [NewPet.properties.categoryId, Pet.allOf[1].properties.id, getPet.parameters[0].schema]) {
      expect(field).toMatchObject({ type: 'integer', format: 'int64' });
    }
    expect(createPet.requestBody).toMatchObject({ required: true });
  });

  test('marks getPet as deprecated, with the removal date and the replacement', () => {
    expect(getPet.deprecated).toBe(true);
    expect(getPet.description).toContain('5 December 2030');
    expect(getPet.description).toContain('GET /pets with the status filter');
    expect(getPet['x-removal-date']).toBe('2030-12-05');
    expect([...valuesOf('deprecated', paths)]).toEqual([true]);
  });

  test.each([
    ['listPets', listPets, ['200', '401', '429']],
    ['createPet', createPet, ['201', '400', '401', '429']],
    ['getPet', getPet, ['200', '401', '404', '429']],
  ])('has every documented status of %s, and marks the others as assumptions', (_, operation, documented) => {
    const statuses = Object.keys(operation.responses);
    const marked = statuses.filter((status) => 'x-assumption' in resolved(operation.responses[status]));
    expect(statuses.filter((status) => !marked.includes(status))).toEqual(documented);
  });

  test('has the three X-RateLimit headers on every response', () => {
    const responses = [listPets, createPet, getPet].flatMap(({ responses }) => Object.values(responses)) as object[];
    for (const response of [...responses, ...(Object.values(components.responses) as object[])]) {
      expect(Object.keys(resolved(response).headers)).toEqual(
        expect.arrayContaining(['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']),
      );
    }
  });

  test('has Retry-After on 429 and a challenge on 401', () => {
    const { TooManyRequests, Unauthorized } = components.responses;
    expect(TooManyRequests.headers).toHaveProperty('Retry-After');
    expect(components.headers['Retry-After'].required).toBe(true);
    // A banned key gets 401 under the assumption banStatus: 401.
    expect(Unauthorized.headers['Retry-After']).toMatchObject({ 'x-assumption': 'banStatus' });
    expect(Unauthorized.headers['Retry-After']).not.toHaveProperty('required');
    expect(Unauthorized.headers).toHaveProperty('WWW-Authenticate');
  });

  test('refers to existing assumptions', () => {
    const ids = [...valuesOf('x-assumption', openapi)].flat() as string[];
    expect(ids.filter((id) => !Object.hasOwn(assumptions, id))).toEqual([]);
    expect(ids).toEqual(expect.arrayContaining(['limitOutOfRange', 'banStatus', 'afterRemoval', 'contentType']));
  });

  test('repeats the document on waiting, bans, paging and states', () => {
    const refusal = components.responses.TooManyRequests.description;
    for (const text of [info.description, refusal]) {
      expect(text).toContain('Wait for the time given in');
      expect(text).toContain('use exponential backoff');
      expect(text).toContain('may lead to a temporary ban of the API key');
    }
    expect(listPets.description).toContain('The result is paginated');
    expect(components.schemas.PetStatus.description).toContain('available: the pet is available');
  });

  test('shows the documented plans', () => {
    expect(info.description).toContain('| Free | 60 | 1,000 |');
    expect(info.description).toContain('| Pro | 300 | 10,000 |');
    expect(info.description).toContain('| Business | 1,000 | 100,000 |');
    expect(info.description).toContain('| Enterprise | Custom | Custom |');
  });
});
