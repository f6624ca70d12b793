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

// doc: set right
const patience = { maxRetries: 0, fetch: patientFetch };
// end
export const setRight = sendWith(patience);

// doc: whole
//| import OpenAI from 'openai';
//| import { patientFetch } from './patience.mjs';
//|
//| <set right>
//|
//| const { PETSTORE_BASE_URL: baseURL, PETSTORE_API_KEY: apiKey } = process.env;
//| const client = new OpenAI({ baseURL, apiKey, ...patience });
//| await client.get('/pets');
// end
