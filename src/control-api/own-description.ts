import { describeService } from '../petstore/openapi.js';

type Items = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Description of custom routes in OpenAPI: paths below the API's base path, and components. */
export interface OwnDescription {
  readonly paths?: Items | undefined;
  readonly components?: Items | undefined;
}

type Description = Record<string, unknown>;

/** Adds custom routes to the description of the service. */
export const withOwnRoutes = (service: Description, own: OwnDescription | undefined): Description =>
  own === undefined ? service : merged(service, own.paths ?? {}, [own.components]);

/**
 * Adds custom routes to the description of the control API, with the service's URL, and with the service's components, which
 * custom routes may reference.
 */
export function withOwnRoutesBeside(
  control: Description,
  own: OwnDescription | undefined,
  baseUrl?: string,
): Description {
  if (own === undefined) return control;
  const service = describeService(baseUrl) as Description;
  const paths = Object.fromEntries(
    Object.entries(own.paths ?? {}).map(([path, item]) => [
      path,
      { servers: service.servers, ...secured(item, service) },
    ]),
  );
  return merged(control, paths, [own.components, service.components as Items]);
}

/** Gives operations without `security` that of the service. */
const secured = (item: Items[string], { security }: Description) =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, methods.has(name) ? { security, ...(value as object) } : value]),
  );

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

/** Merges paths, in which custom routes take precedence as they do in serving, and components, in which they do not. */
function merged(description: Description, paths: Items, components: readonly (Items | undefined)[]): Description {
  return {
    ...description,
    paths: mergedItems([paths, description.paths as Items]),
    components: mergedItems([description.components as Items, ...components]),
  };
}

/** Merges maps of maps; the first one with a name wins. */
function mergedItems(all: readonly (Items | undefined)[]): Items {
  const names = new Set(all.flatMap((items) => Object.keys(items ?? {})));
  const lastFirst = [...all].reverse();
  return Object.fromEntries(
    [...names].map((name) => [name, Object.assign({}, ...lastFirst.map((items) => items?.[name]))]),
  );
}
