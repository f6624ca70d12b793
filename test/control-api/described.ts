import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';

/** A JSON object of a description, looked into by path. */
// biome-ignore lint/suspicious/noExplicitAny: tools read it, our code does not
export type Json = Record<string, any>;

/** Resolves a `$ref` of a description. */
export const follow = (description: Json, reference: string): Json =>
  reference
    .slice(2)
    .split('/')
    .reduce((value, step) => value[step.replaceAll('~1', '/')] as Json, description);

export const resolved = (description: Json, value: Json): Json =>
  value.$ref === undefined ? value : follow(description, value.$ref);

/** The operation with a name, in an OpenAPI description. */
export function operationOf(description: Json, name: string): Json {
  const all = Object.values(description.paths as Json).flatMap((path) => Object.values(path as Json));
  const found = all.find(({ operationId }) => operationId === name);
  expect(found, name).toBeDefined();
  return found;
}

/** Checks responses against the schemas of a description. */
export function createAnswerCheck(description: Json) {
  let parts = 0;
  const exact = createAjv(description, false);
  // Like a proxy: a header is text, and becomes a number if the schema allows numbers.
  const coercing = createAjv(description, true);
  const check = (pointer: string, value: unknown, what: string, ajv = exact) => {
    const isValid = ajv.getSchema(`description#${pointer}`);
    expect(isValid, `${what} at ${pointer}`).toBeDefined();
    isValid(value);
    expect(isValid.errors, `${what}: ${JSON.stringify(value)?.slice(0, 500)}`).toBeNull();
  };
  const escaped = (step: string | number) => String(step).replaceAll('~', '~0').replaceAll('/', '~1');
  const pointerOf = (...steps: (string | number)[]) => steps.map((step) => `/${encodeURI(escaped(step))}`).join('');

  /** Finds the description of a response by its operation and status. Fails for a status that is not described. */
  function place(name: string, status: number): { pointer: string; response: Json } {
    for (const [path, methods] of Object.entries(description.paths as Json)) {
      for (const [method, { operationId, responses }] of Object.entries(methods as Json)) {
        if (operationId !== name) continue;
        const found = responses[status];
        expect(found, `${name}: an answer with ${status} is described`).toBeDefined();
        const pointer = found.$ref?.slice(1) ?? pointerOf('paths', path, method, 'responses', status);
        return { pointer, response: resolved(description, found) };
      }
    }
    throw new Error(`no operation ${name}`);
  }

  return {
    /** A value, by a schema that stands somewhere in the description. */
    schema(schema: Json, value: unknown, what: string): void {
      const isValid = exact.compile({ $id: `part-${parts++}`, ...inDescription(schema) });
      isValid(value);
      expect(isValid.errors, `${what}: ${JSON.stringify(value)}`).toBeNull();
    },
    /** Checks the body of a response or, with `item`, one line or event. */
    body(name: string, status: number, value: unknown, isItem = false): void {
      const { pointer, response } = place(name, status);
      const type = Object.keys(response.content)[0] as string;
      check(`${pointer}${pointerOf('content', type, isItem ? 'x-item-schema' : 'schema')}`, value, `${name} ${status}`);
    },
    /** Checks the headers of a response, each as text and as a number if numeric. */
    headers(name: string, status: number, headers: Headers): void {
      const { pointer, response } = place(name, status);
      for (const [header, described] of Object.entries(response.headers as Json)) {
        const { required, schema } = resolved(description, described);
        const value = headers.get(header);
        if (required) expect(value, `${name} ${status} ${header}`).not.toBeNull();
        if (value === null) continue;
        const at = described.$ref?.slice(1) ?? `${pointer}${pointerOf('headers', header)}`;
        const what = `${name} ${status} ${header}`;
        check(`${at}/schema`, value, what, coercing);
        check(`${at}/schema`, schema.type === 'integer' ? Number(value) : value, what);
        if (/^\d+$/.test(value)) check(`${at}/schema`, Number(value), what);
      }
    },
  };
}

function createAjv(description: Json, coerceTypes: boolean) {
  // biome-ignore lint/suspicious/noExplicitAny: the packages are CommonJS, their types are not
  const ajv = new (Ajv2020 as any)({ strict: false, allErrors: true, coerceTypes });
  // biome-ignore lint/suspicious/noExplicitAny: as above
  (addFormats as any)(ajv);
  ajv.addFormat('int64', true);
  ajv.addSchema({ $id: 'description', ...JSON.parse(JSON.stringify(description)) });
  return ajv;
}

/** A schema with references that lead into the description, wherever it stands. */
const inDescription = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"description#/'));
