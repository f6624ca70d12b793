import { Client } from '@notionhq/client';
import { call } from './call.js';

await call(({ origin, key, options }) => {
  const client = new Client({ baseUrl: origin, auth: key, ...options });
  return {
    read: () => client.users.me({}),
    write: () => client.pages.create({ parent: { page_id: '1' }, properties: {} }),
  };
});
