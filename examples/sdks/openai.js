import OpenAI from 'openai';
import { call } from './call.js';

await call(({ baseUrl, key, options }) => {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: key, ...options });
  const messages = [{ role: 'user', content: 'Hello' }];
  return {
    read: () => client.models.list(),
    write: () => client.chat.completions.create({ model: 'gpt', messages }),
  };
});
