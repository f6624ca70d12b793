import type { KeyPlace } from '../values/key-place.js';

/** Describes the place of the API key in an OpenAPI description of the service. Changes the given description. */
export function describeKeyPlace(
  description: Record<string, unknown>,
  place: KeyPlace | undefined,
): Record<string, unknown> {
  if (place === undefined) return description;
  const scheme = schemeOf(place);
  const components = { ...(description.components as object), securitySchemes: scheme && { key: scheme } };
  return { ...description, components, security: scheme === undefined ? [] : [{ key: [] }] };
}

function schemeOf({ from, parameter }: KeyPlace) {
  if (from === 'one') return undefined;
  if (from === 'basic') return { type: 'http', scheme: 'basic' };
  if (parameter !== '') return { type: 'apiKey', in: 'query', name: parameter };
  const name = from.startsWith('header ') ? from.slice(7) : 'Authorization';
  const description = from === 'signature' ? 'A signature; its key id is the API key.' : undefined;
  return { type: 'apiKey', in: 'header', name, ...(description && { description }) };
}
