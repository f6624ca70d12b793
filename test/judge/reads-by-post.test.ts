import { describe, expect, test } from 'vitest';
import { createSimulator, type Scenario, serveRoute } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { runCommandLine } from '../support/command-here.js';
import { frozen } from '../support/frozen.js';
import { openServer } from '../support/open-server.js';
import { startBackend } from '../support/start-backend.js';
import { brief, entry, judgeEntries } from './recorded-entries.js';

const query = (text: string) => JSON.stringify({ query: text, variables: { first: 5 } });

const lostFirst: Scenario = { faults: [{ when: { nth: 1 }, then: { reset: true, phase: 'after' } }] };

/** Sends a POST to a custom route again after its response was lost; the responses have no id. */
async function repeated(body: string, options: { reads?: boolean } = {}) {
  const sim = frozen(lostFirst);
  for (let attempt = 1; attempt <= 2; attempt++) {
    const headers = { authorization: 'Bearer free-key', 'content-type': 'application/json' };
    const request = new Request('http://petstore.test/graphql', { method: 'POST', headers, body });
    await serveRoute(sim, request, () => Response.json({ data: {} }), options);
    sim.clock.advance('1s');
  }
  return { verdict: judge(sim, { isOver: true }), writes: sim.journal.query().map(({ isWrite }) => isWrite) };
}

describe('a POST that only reads', () => {
  test.each([
    query('query Pets { pets { id } }'),
    query('{ pets(name: "mutation") { id } }'),
    query('# mutation\nquery Pets { pets { id } }'),
    query('fragment F on Pet { id }\nquery Pets { pets { ...F } }'),
    query('subscription { petAdded { id } }'),
    JSON.stringify([{ query: 'query A { a }' }, { query: '{ b }' }]),
  ])('is recognized as a GraphQL query: %s', async (body) => {
    const { verdict, writes } = await repeated(body);
    expect([brief(verdict), writes]).toEqual(['pass', [false, false]]);
  });

  test.each([
    query('mutation Add { addPet(name: "Rex") { id } }'),
    query('query A { a } mutation B { b }'),
    JSON.stringify([{ query: '{ a }' }, { query: 'mutation { b }' }]),
    JSON.stringify({ query: 'shoes' }),
    JSON.stringify({ query: 5 }),
    '{"query":"{ a }"',
    '[]',
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getBalance' }),
  ])('is not recognized in %s, so that a repetition is doubtful', async (body) => {
    const { verdict, writes } = await repeated(body);
    expect([brief(verdict), writes]).toEqual(['inconclusive', [true, true]]);
    expect(verdict.reason).toContain("--reads 'POST /graphql'");
  });

  test('is declared by an option of its route', async () => {
    const declared = await repeated('{"search":1}', { reads: true });
    expect([brief(declared.verdict), declared.writes]).toEqual(['pass', [false, false]]);
    expect((await repeated('{"search":1}')).writes).toEqual([true, true]);
  });

  test('is declared for a backend', async () => {
    const { url } = await startBackend((_, response) => response.writeHead(201).end(`{"id":${++count}}`));
    let count = 0;
    const judged = async (reads?: string[]) => {
      const sim = createSimulator({ scenario: lostFirst, onWarning: () => {} });
      const server = await openServer(sim, { upstream: { url, reads } });
      const post = () =>
        fetch(`${new URL(server.baseUrl).origin}/api/search`, {
          method: 'POST',
          headers: { authorization: 'Bearer free-key' },
          body: '{"q":1}',
        });
      await expect(post()).rejects.toThrow();
      await post();
      return brief(judge(sim, { isOver: true }));
    };
    expect(await judged()).toBe('fail duplicate-write:fail');
    expect(await judged(['POST /api/find'])).toBe('fail duplicate-write:fail');
    expect(await judged(['POST /api/search'])).toBe('pass');
    await expect(judged(['search'])).rejects.toThrow('expected reads to be methods and paths, such as "POST /graphql"');
  });

  test('needs a method and a path on the command line, and a backend', async () => {
    const { err } = await runCommandLine(['judge', 'a.har', '--reads', 'graphql']);
    expect(err).toContain(`expected --reads to be a method and a path, such as 'POST /graphql', got "graphql"`);
    const alone = await runCommandLine(['exec', '--reads', 'POST /x', '--', 'true']);
    expect(alone.err).toContain('expected --upstream URL with --reads, got no --upstream');
  });
});

describe('a refused call that came back with other bytes, in a recording', () => {
  const post = (at: number, status: number, body: unknown) =>
    entry(at, '/rpc', status, {
      ...{ method: 'POST', body: JSON.stringify(body) },
      ...(status === 429 && { retryAfter: 2 }),
    });
  const codes = async (first: unknown, next: unknown, reads?: string[]) =>
    (await judgeEntries([post(0, 429, first), post(2.3, 200, next)], { reads })).findings.map(({ code }) => code);

  test.each<[string, object, object]>([
    [
      'JSON-RPC with a new id',
      { jsonrpc: '2.0', id: 1, method: 'getBalance' },
      { jsonrpc: '2.0', id: 2, method: 'getBalance' },
    ],
    [
      'a chat completion with a shorter history',
      { model: 'm', messages: [{ role: 'user', content: 'a b' }] },
      { model: 'm', messages: [{ role: 'user', content: 'b' }] },
    ],
    ['a completion of a prompt', { model: 'm', prompt: 'a' }, { model: 'm', prompt: 'b' }],
    ['an embedding', { input: ['a', 'b'], model: 'm' }, { input: ['a'], model: 'm' }],
    ['contents of Gemini', { contents: [{ parts: [{ text: 'a' }] }] }, { contents: [{ parts: [{ text: 'b' }] }] }],
    ['a GraphQL query', { query: '{ a }', variables: { n: 1 } }, { query: '{ a }', variables: { n: 2 } }],
  ])('is no lost write: %s', async (_, first, next) => {
    expect(await codes(first, next)).not.toContain('lost-write');
  });

  test('is a lost write if nothing shows a read, unless it is declared as one', async () => {
    const [first, next] = [{ name: 'Rex' }, { name: 'Milo' }];
    expect(await codes(first, next)).toContain('lost-write');
    expect(await codes(first, next, ['POST /other'])).toContain('lost-write');
    expect(await codes(first, next, ['POST /rpc'])).not.toContain('lost-write');
  });

  test('is a lost write if it is a GraphQL mutation', async () => {
    const mutation = (n: number) => ({ query: 'mutation { add }', variables: { n } });
    expect(await codes(mutation(1), mutation(2))).toContain('lost-write');
  });
});
