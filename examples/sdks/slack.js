import { WebClient } from '@slack/web-api';
import { call } from './call.js';

await call(({ origin, key, options }) => {
  const client = new WebClient(key, { slackApiUrl: `${origin}/api/`, ...options });
  return {
    read: () => client.conversations.list(),
    write: () => client.chat.postMessage({ channel: 'C1', text: 'Hello' }),
  };
});
