import { fieldsOf } from '../schema/json-schema.js';
import { operations } from './operations.js';
import { sandboxOperations } from './sandbox-operations.js';

/** More fields than this are not named one by one. */
const mostFields = 8;

/** The tables of operations as rows of text, for the README. */
export function controlRows(): { name: string; request: string; input: string; summary: string }[] {
  return Object.entries({ ...operations, ...sandboxOperations }).map(([name, { method, path, summary, input }]) => {
    const fields = fieldsOf(input).map(({ name, required }) => `\`${name}${required ? '' : '?'}\``);
    const shown = fields.length > mostFields ? [...fields.slice(0, 2), '...'] : fields;
    return { name, request: `${method} /__sim${path}`, input: shown.join(' '), summary };
  });
}
