import { requestsOf } from './works.mjs';

/**
 * Sends each kind of request to a server once, because a server with wrong responses must not be measured.
 * @param {import('./peers.mjs').Peer} peer
 * @param {string} url URL of the server, as `http://127.0.0.1:4610`
 * @returns {Promise<{ work: string, issue?: string }[]>} one item per kind of request, with the expected and the
 * received response if wrong
 */
export async function check(peer, url) {
  const results = [];
  for (const work of peer.works) {
    const issues = [];
    for (const request of requestsOf(peer, work)) {
      issues.push(...(await checkRequest(peer, url, request).catch((error) => [noAnswer(request, error)])));
    }
    results.push(issues.length === 0 ? { work } : { work, issue: issues.join('; ') });
  }
  return results;
}

const noAnswer = ({ method, path, status }, { message, cause }) =>
  `${method} ${path}: expected status ${status}, found no answer (${cause?.message ?? message})`;

async function checkRequest(peer, url, { method, path, headers, body, status, count }) {
  const response = await fetch(url + path, { method, headers, body, signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  const issues = [];
  const expect = (what, expected, found) => {
    if (expected !== found) issues.push(`${method} ${path}: expected ${what} ${expected}, found ${found}`);
  };
  expect('status', status, response.status);
  if (count !== undefined) expect('pets', count, countOf(peer, text));
  if (status === 201) expect('name', 'Rex', parse(text)?.name);
  if (peer.rateHeaders) {
    const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
    for (const name of names)
      expect(name, 'a number', /^\d+$/.test(response.headers.get(name) ?? '') ? 'a number' : 'none');
  }
  if (status === 429) expect('Retry-After', 'there', response.headers.has('Retry-After') ? 'there' : 'none');
  return issues.map((issue) => `${issue} (${text.slice(0, 80)})`);
}

function countOf({ petsOf = (body) => body }, text) {
  const list = petsOf(parse(text));
  return Array.isArray(list) ? list.length : 'no list';
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
