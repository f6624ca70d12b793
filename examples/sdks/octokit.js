import { Octokit } from '@octokit/rest';
import { call } from './call.js';
import { calls } from './octokit-calls.js';

await call(({ origin, key, options }) => calls(new Octokit({ baseUrl: origin, auth: key, ...options })));
