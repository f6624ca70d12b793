import { check, type SchemaIssue } from '../validation/schema.js';
import { parseInt64 } from '../values/int64.js';
import { joinWords } from '../values/join-words.js';
import type { ApiCall } from './api-call.js';
import { type ApiError, methodNotAllowed, notFound } from './api-error.js';
import { isSafe } from './request-record.js';
import { createMatch, type Match, type OperationRow, type OperationRows, type Service } from './service.js';

/** Table of an API's operations, as a part of a `Service`. */
export interface OperationTable<Name extends string = string> {
  readonly operations: readonly Name[];
  readonly rows: OperationRows<Name>;
  /**
   * Finds the operation of a method and a path. Compares paths as sent, without decoding or removing a trailing slash.
   * @returns `undefined` for an unknown path, and for a method that the path lacks
   */
  find(call: Pick<ApiCall, 'method' | 'path'>): Match | undefined;
  /** Returns the values of a request for conditions of fault rules: path parameters, and the query parameters of the row. */
  conditions(call: Pick<ApiCall, 'query'>, match: Match): Readonly<Record<string, unknown>>;
  methodsAt(path: string): readonly string[];
}

/** Service with a table of operations instead of their names. Without `find`, the table finds the operation. */
export type TableService<Data = unknown, Scenario = unknown> = Omit<
  Service<Data, Scenario>,
  'operations' | 'rows' | 'find'
> &
  Partial<Pick<Service<Data, Scenario>, 'find'>> & { readonly operations: OperationRows };

/** Completes a service by its table of operations. Returns a service without a table unchanged. */
export function withTable<Data, Scenario>(
  service: Service<Data, Scenario> | TableService<Data, Scenario>,
): Service<Data, Scenario> {
  if (!hasTable(service)) return service;
  const table = createOperationTable(service.operations);
  // The service becomes the prototype, because its functions may be methods of a class.
  const { find = table.find, conditions = table.conditions } = service;
  return Object.assign(Object.create(service), table, { find, conditions });
}

const hasTable = (service: Service | TableService): service is TableService => !Array.isArray(service.operations);

const parameter = /\{(\w+)\}/g;

/** Returns the names of the parameters of an operation's path: `petId` of `/pets/{petId}`. */
export const parametersOf = ({ path }: OperationRow): string[] =>
  [...path.matchAll(parameter)].map(([, name]) => name as string);

const patternOf = ({ path }: OperationRow) =>
  new RegExp(`^${path.replace(/[^\w/{}]/g, '\\$&').replace(parameter, '([^/]+)')}$`);

/** Whether an operation serves a method. HEAD runs the operation of GET, because adapters omit the body. */
export const servesMethod = (row: OperationRow, method: string): boolean =>
  row.method === method || (method === 'HEAD' && row.method === 'GET');

/** Returns the row of an operation; `undefined` for an unknown name. */
export const rowOf = (rows: OperationRows, name: string): OperationRow | undefined =>
  Object.hasOwn(rows, name) ? rows[name] : undefined;

/** Returns an operation's method and path: `GET /pets/{petId}`. */
export const targetOf = ({ method, path }: OperationRow): string => `${method} ${path}`;

/**
 * Finds the operations that a text means by a method and path, or by a path alone: `GET /v1/pets`, `/pets/{id}`. The
 * base path, the names of parameters and the method's case are free.
 * @param isValue whether the text contains a value of a parameter or a query: `GET /pets/7`
 */
export type OperationFinder = (text: string, isValue?: boolean) => string[];

/** Creates a function that finds operations by method and path. Compiles each path once. */
export function createOperationFinder(rows: OperationRows, basePath: string): OperationFinder {
  const routes = Object.entries(rows).map(([name, row]) => {
    const base = row.basePath ?? basePath;
    return { name, method: row.method, base, start: `${base}/`, pattern: patternOf(row) };
  });
  return (text, isValue = false) => {
    const [, given, path = '', query] = /^\s*(?:([a-z]+)\s+)?(\/[^\s?]*)(\?\S*)?\s*$/i.exec(text) ?? [];
    const wanted = given?.toUpperCase();
    const found: string[] = [];
    for (const { name, method, base, start, pattern } of routes) {
      if (wanted !== undefined && wanted !== method) continue;
      const values = pattern.exec(path.startsWith(start) ? path.slice(base.length) : path);
      if (values === null) continue;
      const isTemplate = query === undefined && values.slice(1).every((value) => /^(?:\{\w*\}|:\w+)$/.test(value));
      if (isTemplate !== isValue) found.push(name);
    }
    return found;
  };
}

/**
 * Creates the table of an API's operations.
 * @throws {TypeError} for a malformed method or path, and for two operations with the same method and path
 */
export function createOperationTable<Name extends string>(rows: OperationRows<Name>): OperationTable<Name> {
  const operations = Object.keys(rows) as Name[];
  const targets = operations.map((name) => targetOf(rows[name]));
  for (const [index, target] of targets.entries())
    if (!/^[A-Z]+ \/([^{}?#\s]|\{\w+\})*$/.test(target) || targets.indexOf(target) < index)
      throw new TypeError(
        `operations.${operations[index]}: expected a method and path of its own, such as GET /pets/{petId}, got ${target}`,
      );
  const routes = operations.map((name) => {
    const row: OperationRow = rows[name];
    const match = createMatch(name, row.isWrite ?? !isSafe(row.method));
    const names = parametersOf(row);
    const made = row.params && Object.keys(row.params(''));
    if (made !== undefined && (names.length !== 1 || made.join() !== names[0]))
      throw new TypeError(
        `operations.${name}: expected params to make ${names.join(', ') || 'none'}, got ${made.join(', ')}`,
      );
    return { row, match, names, params: row.params, pattern: patternOf(row) };
  });
  // A path without parameters takes precedence, as in OpenAPI, and an operation with HEAD over one with GET.
  const byPrecedence = routes.toSorted(
    (a, b) => a.names.length - b.names.length || Number(b.row.method === 'HEAD') - Number(a.row.method === 'HEAD'),
  );
  return {
    operations,
    rows,
    find({ method, path }) {
      for (const { row, match, names, params, pattern } of byPrecedence) {
        if (!servesMethod(row, method) || (names.length === 0 && row.path !== path)) continue;
        if (names.length === 0) return match;
        const values = pattern.exec(path);
        if (values === null) continue;
        const found = params === undefined ? namedValues(names, values) : params(values[1] as string);
        return createMatch(match.operation, match.isWrite, undefined, found);
      }
      return undefined;
    },
    methodsAt: (path) => routes.flatMap(({ row, pattern }) => (pattern.test(path) ? row.method : [])),
    conditions({ query }, { operation = '', params }) {
      const row = rowOf(rows, operation);
      const ofQuery = row?.conditions?.map((name) => [name, readParameter(row, name, query)]) ?? [];
      const ofPath = Object.entries(params ?? {}).map(([name, value]) => [name, parseInt64(value) ?? value]);
      return Object.fromEntries([...ofQuery, ...ofPath]);
    },
  };
}

/** Returns the value of a query parameter by its schema; as text if it has none, or if the value is invalid. */
function readParameter(row: OperationRow, name: string, query: string): unknown {
  const text = new URLSearchParams(query).get(name);
  const schema = row.query?.[name];
  if (schema === undefined || text === null) return text;
  const issues: SchemaIssue[] = [];
  const value = check(schema, text, issues);
  return issues.length > 0 ? text : value;
}

function namedValues(names: readonly string[], values: readonly string[]): Record<string, string> {
  // Assigned, because an object literal with computed names takes 90 ns longer.
  const named: Record<string, string> = {};
  for (let index = 0; index < names.length; index++) named[names[index] as string] = values[index + 1] as string;
  return named;
}

/**
 * Creates the error response to a request that no operation serves: 404, or 405 with `Allow` for a method that the path
 * lacks.
 * @param services services under the request's base path
 * @param isHidden whether the response to a method that the path lacks is a 404, too
 */
export function refuseUnknown(
  { method, path }: ApiCall,
  services: readonly Pick<Service, 'rows' | 'methodsAt'>[],
  isHidden: boolean,
): ApiError {
  const rows = services.flatMap((service) => Object.values(service.rows ?? {}));
  const methods = [...new Set(services.flatMap((service) => service.methodsAt?.(path) ?? []))];
  if (methods.length > 0 && !isHidden) return methodNotAllowed(method, methods);
  if (rows.length === 0) return notFound(`There is no operation ${method} ${path}.`);
  const assumption = methods.length > 0 ? 'unknownMethod' : 'unknownRoute';
  return notFound(`There is no such path; the API has ${joinWords(rows.map(targetOf))}.`, assumption);
}

/** Returns the methods of operations, each once. */
export const methodsOf = (rows: readonly OperationRow[]): string[] => [...new Set(rows.map(({ method }) => method))];
