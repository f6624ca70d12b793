import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';
import type { Words } from '../scenario/words-schema.js';
import { isMap, mapOf } from '../values/plain-data.js';

type Json = Record<string, unknown>;

/** Headers about limits that only the simulator's own words have, in lower case. */
const ownHeaders = [...Object.values(rateLimitHeaders), retryAfterHeader].map((name) => name.toLowerCase());

/**
 * Describes the responses of a service in the words of another one: their headers about limits, and the status and body of
 * refusals and other errors. Returns a changed copy of the OpenAPI description.
 */
export function describeWords(description: Json, words: Words | undefined): Json {
  if (words === undefined) return description;
  const components = mapOf(description.components);
  return {
    ...description,
    components: {
      ...components,
      responses: eachOf(components.responses, (response) => inWords(response, words)),
    },
    paths: eachOf(description.paths, (path) =>
      eachOf(path, (operation) =>
        'responses' in operation
          ? { ...operation, responses: responsesOf(mapOf(operation.responses), words) }
          : operation,
      ),
    ),
  };
}

const responsesOf = ({ 429: refusal, ...others }: Json, words: Words): Json => ({
  ...eachOf(others, (response) => inWords(response, words)),
  ...(refusal !== undefined && { [words.status]: refusal }),
});

/** Describes one response, unless it refers to a shared one. */
function inWords(response: Json, { headers, body, limits, error }: Words): Json {
  if ('$ref' in response) return response;
  const isRefusal = 'Cache-Control' in mapOf(response.headers);
  const kept = Object.entries(mapOf(response.headers)).filter(([name]) => !ownHeaders.includes(name.toLowerCase()));
  const more = { ...limits, ...(isRefusal && headers) };
  const named = Object.entries(more).flatMap(([name, value]) =>
    value === null || /^content-type$/i.test(name) ? [] : [[name, { schema: { type: 'string' }, description: value }]],
  );
  const template = isRefusal ? body : error;
  const isError = JSON.stringify(response.content ?? {}).includes('/schemas/Error"');
  const type = headers['Content-Type'] ?? 'application/json';
  return {
    ...response,
    headers: Object.fromEntries([...kept, ...named]),
    ...(isError && template !== undefined && { content: { [type]: { schema: {}, 'x-words': template } } }),
  };
}

const eachOf = (map: unknown, change: (value: Json, name: string) => unknown): Json =>
  Object.fromEntries(
    Object.entries(mapOf(map)).map(([name, value]) => [name, isMap(value) ? change(value, name) : value]),
  );
