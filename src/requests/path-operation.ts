/** Pattern of path segments that identify a resource: a number, a UUID or a hash. */
const identifier = /^(?:\d+|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[a-f]*\d)[0-9a-f]{16,})$/i;

/**
 * Creates an operation name from method and path. Replaces numbers, UUIDs and hashes in the path by `{}`: `GET
 * /pets/{}`.
 */
export const operationByPath = (method: string, path: string): string =>
  `${method} ${path
    .split('/')
    .map((segment) => (identifier.test(segment) ? '{}' : segment))
    .join('/')}`;
