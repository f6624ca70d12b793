import Stripe from 'stripe';
import { patientFetch } from './patiently.mjs';

/** stripe sends JSON only to paths under /v2, so the path is replaced before sending. */
function atService(httpClient) {
  const makeRequest = httpClient.makeRequest.bind(httpClient);
  httpClient.makeRequest = (host, port, path, ...rest) =>
    makeRequest(host, port, path.replace('/v2/', '/v1/'), ...rest);
  return httpClient;
}

const sendWith =
  ({ httpClient, ...options }) =>
  ({ url, method, headers, body }) => {
    const { hostname: host, port } = new URL(url);
    const key = headers.authorization.replace('Bearer ', '');
    const own = {
      host,
      port,
      protocol: 'http',
      telemetry: false,
      httpClient: atService(httpClient),
    };
    return new Stripe(key, { ...own, ...options }).rawRequest(
      method,
      '/v2/pets',
      body && JSON.parse(body),
    );
  };

export const byDefault = sendWith({ httpClient: Stripe.createNodeHttpClient() });

// doc: set right
const patience = {
  maxNetworkRetries: 0,
  httpClient: Stripe.createFetchHttpClient(patientFetch),
};
// end
export const setRight = sendWith(patience);

// doc: whole
//| import Stripe from 'stripe';
//| import { patientFetch } from './patience.mjs';
//|
//| <set right>
//|
//| const { hostname: host, port } = new URL(process.env.PETSTORE_BASE_URL);
//| const own = { host, port, protocol: 'http', telemetry: false }; // for http://127.0.0.1
//| const stripe = new Stripe(process.env.PETSTORE_API_KEY, { ...own, ...patience });
//| await stripe.rawRequest('GET', '/v1/pets');
// end
