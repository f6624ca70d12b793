/** Path segment that is an identifier, not a name: a number, a UUID or a hash. */
const identifier = /^(?:\d+|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[a-f]*\d)[0-9a-f]{16,})$/i;

/** Names an operation of another service by method and path, with `{}` for identifiers: `GET /repos/o/r/issues/{}`. */
export const operationByPath = (method: string, path: string): string =>
  `${method} ${path
    .split('/')
    .map((segment) => (identifier.test(segment) ? '{}' : segment))
    .join('/')}`;
