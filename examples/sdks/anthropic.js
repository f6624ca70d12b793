import Anthropic from '@anthropic-ai/sdk';
import { call } from './call.js';

await call(({ origin, key, options }) => {
  const client = new Anthropic({ baseURL: origin, authToken: key, ...options });
  const messages = [{ role: 'user', content: 'Hello' }];
  return {
    read: () => client.messages.countTokens({ model: 'claude', messages }),
    write: () => client.messages.create({ model: 'claude', max_tokens: 16, messages }),
  };
});
