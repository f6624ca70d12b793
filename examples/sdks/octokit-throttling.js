import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { Octokit } from '@octokit/rest';
import { call } from './call.js';
import { calls } from './octokit-calls.js';

const Throttled = Octokit.plugin(retry, throttling);
// The callbacks are required, and decide whether a refused request is sent again.
const throttle = { onRateLimit: () => true, onSecondaryRateLimit: () => true };
await call(({ origin, key, options }) => calls(new Throttled({ baseUrl: origin, auth: key, throttle, ...options })));
