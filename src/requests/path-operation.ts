/** A segment that is an identifier and no name: a number, a UUID or a hash. */
const identifier = /^(?:\d+|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[a-f]*\d)[0-9a-f]{16,})$/i;

/** Operation of a request to another service: its method and path, with identifiers as `{}`: `GET /repos/o/r/issues/{}`. */
export const operationByPath = (method: string, path: string): string =>
  `${method} ${path
    .split('/')
    .map((segment) => (identifier.test(segment) ? '{}' : segment))
    .join('/')}`;
