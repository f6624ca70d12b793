import { fields, optional } from '../validation/schemas.js';
import { whole } from '../validation/value-schemas.js';
import { keyText } from './key-schema.js';
import { operationName } from './operations.js';

/** Creates the schema of a scenario's `client` field: which calls the client under test should send. */
export const clientSchema = (operations: readonly string[]) =>
  fields({
    key: optional(keyText),
    operation: optional(operationName(operations)),
    calls: optional(whole(1, 100_000)),
    parallel: optional(whole(1, 1_000)),
  });
