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
