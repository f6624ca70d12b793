import { REST } from '@discordjs/rest';
import { call } from './call.js';

await call(({ origin, key, options }) => {
  const rest = new REST({ api: origin, version: '10', ...options }).setToken(key);
  const path = '/channels/1/messages';
  return { read: () => rest.get(path), write: () => rest.post(path, { body: { content: 'hello' } }) };
});
