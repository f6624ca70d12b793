import { describe, expect, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, openapi } from '../../src/entries/index.js';
import { createAnswerCheck, follow, type Json, resolved } from '../control-api/described.js';

// Rules of Redocly's and Spectral's recommended sets that fit OpenAPI 3.1, with their names. Both tools were run on
// both descriptions without a finding; they are too large to be installed for this.

const control = createControl(createSimulator()).getControlDescription() as Json;

describe.each([
  ['the service', openapi as Json],
  ['the control API', control],
])('the description of %s', (_, description) => {
  const operations: [where: string, path: string, operation: Json][] = Object.entries(
    description.paths as Json,
  ).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(
      ([method, operation]) => [`${method} ${path}`, path, operation] as [string, string, Json],
    ),
  );
  const every = [...objects(description)];
  const schemas = every.filter(([, each]) => typeof each.type === 'string' && each.in === undefined);

  test('info-*: has a description, a contact and a license', () => {
    expect(description.info.description).not.toBe('');
    expect(description.info.contact.name).not.toBe('');
    expect(description.info.license).toMatchObject({ name: 'MIT', url: expect.stringMatching(/^https:/) });
  });

  test('no-server-*, oas3-api-servers: has servers, without a trailing slash and not at example.com', () => {
    expect(description.servers.length).toBeGreaterThan(0);
    for (const { url } of description.servers) expect(url).toMatch(/^https?:\/\/(?!.*example\.com).*[^/]$/);
  });

  test('operation-*: each has a unique id that is valid in a URL, a defined tag, a summary and a description', () => {
    const ids = operations.map(([, , { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = (description.tags as Json[]).map(({ name }) => name);
    expect(new Set(tags).size).toBe(tags.length);
    for (const tag of description.tags) expect(tag.description, tag.name).toBeTruthy();
    for (const [where, , { operationId, tags: own, summary, description: text }] of operations) {
      expect(operationId, where).toMatch(/^[A-Za-z][A-Za-z0-9]*$/);
      expect(own.length, where).toBe(1);
      expect(tags, where).toContain(own[0]);
      expect(summary, where).toBeTruthy();
      expect(text, where).toBeTruthy();
    }
  });

  test('operation-2xx-response, operation-4xx-response: each has one success and a refusal, and no default', () => {
    for (const [where, , { responses }] of operations) {
      const statuses = Object.keys(responses);
      expect(statuses.filter((status) => status.startsWith('2')).length, where).toBe(1);
      expect(
        statuses.some((status) => status.startsWith('4')),
        where,
      ).toBe(true);
      expect(statuses, where).not.toContain('default');
    }
  });

  test('path-params-defined, operation-parameters-unique: parameters match the path, each once and described', () => {
    for (const [where, path, { parameters = [] }] of operations) {
      const names = parameters.map((parameter: Json) => `${parameter.in} ${parameter.name}`);
      expect(new Set(names).size, where).toBe(names.length);
      const inPath = parameters.filter((parameter: Json) => parameter.in === 'path');
      expect(inPath.map(({ name }: Json) => name).sort(), where).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort(),
      );
      for (const parameter of inPath) expect(parameter.required, where).toBe(true);
      for (const parameter of parameters) expect(parameter.description, `${where} ${parameter.name}`).toBeTruthy();
    }
  });

  test('no-ambiguous-paths, path-keys-no-trailing-slash: no two paths of one method are ambiguous', () => {
    const shapes = operations.map(([where]) => where.replace(/\{\w+\}/g, '{}'));
    expect(new Set(shapes).size).toBe(shapes.length);
    for (const [, path] of operations) expect(path).not.toMatch(/.\/$|\?|\/\//);
  });

  test('no-unresolved-refs, no-unused-components: every reference resolves, and every component is used', () => {
    const references = new Set(every.map(([, { $ref }]) => $ref).filter((reference) => reference !== undefined));
    for (const reference of references) expect(follow(description, reference), reference).toBeDefined();
    const { securitySchemes, ...components } = description.components;
    for (const [kind, named] of Object.entries(components as Json)) {
      for (const name of Object.keys(named as Json)) expect(references).toContain(`#/components/${kind}/${name}`);
    }
    const used = description.security.flatMap((each: Json) => Object.keys(each));
    expect(Object.keys(securitySchemes)).toEqual([...new Set(used)]);
  });

  test('array-items, no-mixed-number-range-constraints, typed-enum: schemas are consistent', () => {
    expect(schemas.length).toBeGreaterThan(10);
    for (const [where, { type, items, enum: values, required = [], properties = {}, ...schema }] of schemas) {
      if (type === 'array') expect(items, where).toBeTypeOf('object');
      expect('minimum' in schema && 'exclusiveMinimum' in schema, where).toBe(false);
      expect('maximum' in schema && 'exclusiveMaximum' in schema, where).toBe(false);
      if (type === 'string') for (const value of values ?? []) expect(value, where).toBeTypeOf('string');
      if (Array.isArray(required)) for (const name of required) expect(Object.keys(properties), where).toContain(name);
    }
  });

  test('no-invalid-*-examples: every example is valid', () => {
    const check = createAnswerCheck(description);
    let count = 0;
    for (const [where, , { operationId, parameters = [], requestBody, responses }] of operations) {
      for (const parameter of parameters) {
        if (parameter.example === undefined) continue;
        check.schema(resolved(description, parameter.schema), parameter.example, `${where} ${parameter.name}`);
        count++;
      }
      const body = requestBody?.content['application/json'];
      if (body?.example !== undefined) check.schema(body.schema, body.example, where);
      for (const [status, response] of Object.entries(responses as Json)) {
        for (const { example } of Object.values(resolved(description, response).content as Json)) {
          if (example === undefined) continue;
          check.body(operationId, Number(status), example);
          count++;
        }
      }
    }
    for (const [name, { schema, example }] of Object.entries((description.components.headers ?? {}) as Json)) {
      check.schema(schema, example, name);
    }
    expect(count).toBeGreaterThan(20);
  });

  test('no-script-tags-in-markdown, no-eval-in-markdown: no text contains code that a page would run', () => {
    expect(JSON.stringify(description)).not.toMatch(/<script|eval\(/);
  });
});

test('every operation of the service has an example of each parameter, body and response', () => {
  for (const methods of Object.values((openapi as Json).paths as Json)) {
    for (const { operationId, parameters = [], requestBody, responses } of Object.values(methods as Json)) {
      for (const parameter of parameters) expect(parameter.example, operationId).toBeDefined();
      if (requestBody) expect(requestBody.content['application/json'].example, operationId).toBeDefined();
      for (const response of Object.values(responses as Json)) {
        const { content } = resolved(openapi as Json, response);
        expect(content['application/json'].example, operationId).toBeDefined();
      }
    }
  }
});

/** Every object in a value, with its path. */
function* objects(value: unknown, path = ''): Generator<[path: string, value: Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value];
  for (const [name, inner] of Object.entries(value)) yield* objects(inner, `${path}/${name}`);
}
