import { Octokit } from '@octokit/core';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { patientFetch } from './patiently.mjs';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const sendWith =
  (octokit) =>
  ({ url, method, headers, body }) =>
    octokit.request({ url, method, headers, ...(body && JSON.parse(body)) });

// As in the README of plugin-throttling: one retry, except at a secondary limit.
const Throttled = Octokit.plugin(retry, throttling);
const onRateLimit = (_seconds, _options, _octokit, retryCount) => retryCount < 1;
export const byDefault = sendWith(
  new Throttled({ log, throttle: { onRateLimit, onSecondaryRateLimit: () => {} } }),
);

// doc: set right
const octokit = new Octokit({ request: { fetch: patientFetch } });
// end
export const setRight = sendWith(octokit);

// doc: whole
//| import { Octokit } from '@octokit/core';
//| import { patientFetch } from './patience.mjs';
//|
//| <set right>
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| await octokit.request({ method: 'GET', url, headers });
// end
