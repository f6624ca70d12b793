import {
  createDefaultHttpClient,
  createHttpHeaders,
  createPipelineFromOptions,
  createPipelineRequest,
  retryPolicy,
} from '@azure/core-rest-pipeline';
import { askedWaitMs, isWorthWaiting } from './asked-wait.mjs';

const httpClient = createDefaultHttpClient();
const sendWith =
  (pipeline) =>
  ({ headers, ...call }) =>
    pipeline.sendRequest(
      httpClient,
      createPipelineRequest({ ...call, headers: createHttpHeaders(headers), allowInsecureConnection: true }),
    );

export const byDefault = sendWith(createPipelineFromOptions({}));

// doc: set right
const pipeline = createPipelineFromOptions({});
pipeline.removePolicy({ name: 'defaultRetryPolicy' });
const strategy = {
  name: 'patient',
  retry: ({ response }) =>
    isWorthWaiting(response) ? { retryAfterInMs: askedWaitMs(response.headers) } : { skipStrategy: true },
};
pipeline.addPolicy(retryPolicy([strategy], { maxRetries: 4 }), { phase: 'Retry' });
// end
export const setRight = sendWith(pipeline);
