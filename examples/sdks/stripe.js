import Stripe from 'stripe';
import { call } from './call.js';

await call(({ origin, key, options }) => {
  const { hostname: host, port } = new URL(origin);
  const { customers } = new Stripe(key, { protocol: 'http', host, port, ...options });
  return { read: () => customers.list(), write: () => customers.create({ name: 'Ada' }) };
});
