/** Query parameters of signatures, which differ in each request, also in two attempts of one call. */
const signature =
  /^(?:x-(?:amz|goog)-(?:signature|date|credential|security-token|expires)|sig|signature|oauth_(?:signature|nonce|timestamp)|nonce)$/i;
/** Further parameters that differ, if the query has a signature: the time to which the signature refers. */
const time = /^(?:timestamp|ts|expires|se|st)$/i;

const nameOf = (parameter: string) => parameter.split('=', 1)[0] as string;

/** Removes signatures from a query, which do not make another request of a retry. */
export function unsignedQuery(query: string): string {
  if (!mayBeSigned.test(query)) return query;
  const parameters = query.split('&');
  const others = parameters.filter((parameter) => !signature.test(nameOf(parameter)));
  if (others.length === parameters.length) return query;
  return others.filter((parameter) => !time.test(nameOf(parameter))).join('&');
}

const mayBeSigned = /sig|nonce|-date/i;
