import OpenAI from 'openai';
import { patientFetch } from './patiently.mjs';

const sendWith =
  (options) =>
  ({ url, method, headers, body }) => {
    const client = new OpenAI({
      baseURL: url.replace('/pets', ''),
      apiKey: 'unused',
      defaultHeaders: headers,
      ...options,
    });
    return method === 'GET'
      ? client.get('/pets')
      : client.post('/pets', { body: JSON.parse(body) });
  };

export const byDefault = sendWith({});

export const setRight = sendWith({
  // doc: set right
  // Options of `new OpenAI()`:
  maxRetries: 0,
  fetch: patientFetch,
  // end
});
