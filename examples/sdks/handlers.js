import { HttpResponse, http } from 'msw';
import { serveRoute } from 'petstore-sim';

const { json } = HttpResponse;
const xml = (text) => new HttpResponse(text, { headers: { 'Content-Type': 'application/xml' } });

/** One read and one write of each service. A write gets the next id, or that of an earlier one with its Idempotency-Key. */
const services = {
  openai: {
    read: ['get', '*/v1/models', () => json({ object: 'list', data: [] })],
    write: ['post', '*/v1/chat/completions', (id) => json({ id, object: 'chat.completion', choices: [] })],
  },
  anthropic: {
    read: ['post', '*/v1/messages/count_tokens', () => json({ input_tokens: 1 })],
    write: ['post', '*/v1/messages', (id) => json({ id, type: 'message', role: 'assistant', content: [] })],
  },
  github: {
    read: ['get', '*/repos/o/r/issues/1', () => json({ id: 1, number: 1 })],
    write: ['post', '*/repos/o/r/issues', (id) => json({ id: Number(id), number: Number(id) })],
  },
  stripe: {
    read: ['get', '*/v1/customers', () => json({ object: 'list', data: [], has_more: false, url: '/v1/customers' })],
    write: ['post', '*/v1/customers', (id) => json({ id, object: 'customer' })],
  },
  slack: {
    read: ['post', '*/api/conversations.list', () => json({ ok: true, channels: [] })],
    write: ['post', '*/api/chat.postMessage', (id) => json({ id, ok: true })],
  },
  notion: {
    read: ['get', '*/v1/users/me', () => json({ object: 'user', id: '1', type: 'bot' })],
    write: ['post', '*/v1/pages', (id) => json({ object: 'page', id })],
  },
  discord: {
    read: ['get', '*/v10/channels/1/messages', () => json([])],
    write: ['post', '*/v10/channels/1/messages', (id) => json({ id, content: 'hello' })],
  },
  dynamodb: {
    read: ['post', '*/', () => json({ Item: { id: { S: '1' } } }), 'DynamoDB_20120810.GetItem'],
    write: ['post', '*/', () => json({}), 'DynamoDB_20120810.PutItem'],
  },
  s3: {
    read: ['get', '*/bucket/object', () => xml('<object/>')],
    write: ['put', '*/bucket/object', () => xml('')],
  },
};

export function handlers(sim) {
  /** Ids of writes by their Idempotency-Key, or by their number without one. */
  const ids = new Map();
  const idOf = ({ headers }) => {
    const key = headers.get('idempotency-key') ?? ids.size;
    if (!ids.has(key)) ids.set(key, String(ids.size + 1));
    return ids.get(key);
  };

  return Object.entries(services).flatMap(([service, calls]) =>
    Object.entries(calls).map(([call, [method, path, respond, target]]) => {
      const operation = `${service} ${call}`;
      const reads = call === 'read';
      return http[method](path, ({ request }) => {
        // DynamoDB has one path for all operations. Without a return value, msw asks the next handler.
        if (target !== undefined && request.headers.get('x-amz-target') !== target) return;
        return serveRoute(sim, request, () => respond(reads ? undefined : idOf(request)), { operation, reads });
      });
    }),
  );
}
