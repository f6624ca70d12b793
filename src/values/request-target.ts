interface Target {
  readonly method: string;
  readonly path: string;
  readonly query: string;
}

/** Joins the path and the query of a request: `/pets?limit=5`. */
export const pathWithQuery = ({ path, query }: Pick<Target, 'path' | 'query'>): string =>
  `${path}${query && `?${query}`}`;

/** Formats a request as its method and URL path with query: `GET /pets?limit=5`. */
export const requestTarget = (request: Target): string => `${request.method} ${pathWithQuery(request)}`;
