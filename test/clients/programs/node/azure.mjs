import {
  createDefaultHttpClient,
  createHttpHeaders,
  createPipelineFromOptions,
  createPipelineRequest,
} from '@azure/core-rest-pipeline';
import { patiently } from './patiently.mjs';

const httpClient = createDefaultHttpClient();
const sendWith =
  (pipeline) =>
  ({ headers, ...call }) =>
    pipeline.sendRequest(
      httpClient,
      createPipelineRequest({
        ...call,
        headers: createHttpHeaders(headers),
        allowInsecureConnection: true,
      }),
    );

export const byDefault = sendWith(createPipelineFromOptions({}));

// doc: set right
const pipeline = createPipelineFromOptions({});
pipeline.removePolicy({ name: 'defaultRetryPolicy' });
pipeline.addPolicy({
  name: 'patience',
  sendRequest: (request, next) =>
    patiently(request, () => next(Object.assign(request, { timeout: 30_000 }))),
});
// end
export const setRight = sendWith(pipeline);
