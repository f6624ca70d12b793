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

// doc: whole
//| import {
//|   createDefaultHttpClient,
//|   createHttpHeaders,
//|   createPipelineFromOptions,
//|   createPipelineRequest,
//| } from '@azure/core-rest-pipeline';
//| import { patiently } from './patience.mjs';
//|
//| <set right>
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| const request = createPipelineRequest({
//|   url,
//|   headers: createHttpHeaders(headers),
//|   allowInsecureConnection: true, // for http://127.0.0.1
//| });
//| const response = await pipeline.sendRequest(createDefaultHttpClient(), request);
//| if (response.status >= 400) throw new Error(`the service answered ${response.status}`);
// end
