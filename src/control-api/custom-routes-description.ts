type Items = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Description of custom routes in OpenAPI: paths below the API's base path, and components. */
export interface CustomRoutesDescription {
  readonly paths?: Items | undefined;
  readonly components?: Items | undefined;
}

type Description = Record<string, unknown>;

/** Adds the user's custom routes to the API's OpenAPI description. */
export const addCustomRoutes = (
  service: Description,
  customRoutes: CustomRoutesDescription | undefined,
): Description =>
  customRoutes === undefined ? service : merged(service, customRoutes.paths ?? {}, [customRoutes.components]);

/**
 * Adds the user's custom routes to the control API's OpenAPI description. Includes the API's URL and components,
 * because custom routes may reference them.
 */
export function addCustomRoutesToControl(
  control: Description,
  service: Description,
  customRoutes: CustomRoutesDescription | undefined,
): Description {
  if (customRoutes === undefined) return control;
  const paths = Object.fromEntries(
    Object.entries(customRoutes.paths ?? {}).map(([path, item]) => [
      path,
      { servers: service.servers, ...secured(item, service) },
    ]),
  );
  return merged(control, paths, [customRoutes.components, service.components as Items]);
}

/** Gives custom operations without `security` the API's authentication. */
const secured = (item: Items[string], { security }: Description) =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, methods.has(name) ? { security, ...(value as object) } : value]),
  );

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

/**
 * Adds paths and components to an OpenAPI description. An added operation replaces an existing operation with the same
 * path and method. An existing component takes precedence over an added component with the same name.
 */
function merged(description: Description, paths: Items, components: readonly (Items | undefined)[]): Description {
  return {
    ...description,
    paths: mergedItems([paths, description.paths as Items]),
    components: mergedItems([description.components as Items, ...components]),
  };
}

/** Merges two-level maps, such as the operations of OpenAPI paths. Values of earlier maps take precedence. */
function mergedItems(all: readonly (Items | undefined)[]): Items {
  const names = new Set(all.flatMap((items) => Object.keys(items ?? {})));
  const lastFirst = [...all].reverse();
  return Object.fromEntries(
    [...names].map((name) => [name, Object.assign({}, ...lastFirst.map((items) => items?.[name]))]),
  );
}
