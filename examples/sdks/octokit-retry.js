import { retry } from '@octokit/plugin-retry';
import { Octokit } from '@octokit/rest';
import { call } from './call.js';
import { calls } from './octokit-calls.js';

const Retrying = Octokit.plugin(retry);
await call(({ origin, key, options }) => calls(new Retrying({ baseUrl: origin, auth: key, ...options })));
