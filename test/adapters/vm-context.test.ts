import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';

const src = join(import.meta.dirname, '../../src');

/** Loads the package in a VM context that lacks the stream classes, as jsdom does in the pool vmThreads of Vitest. */
async function loadInContext() {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { createSimulator, serveRoute } from './entries/index.js'; export { listen } from './entries/node.js';`,
      resolveDir: src,
    },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    logLevel: 'error',
    define: { 'import.meta.url': JSON.stringify(import.meta.url), 'import.meta.dirname': JSON.stringify(src) },
  });
  const hosts = Object.getOwnPropertyNames(globalThis).filter(
    (name) => !/Stream|Strategy|global|^Uint8Array$/i.test(name),
  );
  const builtin = new Set(runInContext('Object.getOwnPropertyNames(globalThis)', createContext()) as string[]);
  const given = hosts.filter((name) => !builtin.has(name));
  const context = createContext(
    Object.fromEntries(given.map((name) => [name, (globalThis as Record<string, unknown>)[name]])),
  );
  expect(runInContext('typeof ReadableStream', context)).toBe('undefined');
  const run = runInContext(`(module, exports, require) => { ${outputFiles[0]?.text}; return module.exports }`, context);
  const module = { exports: {} };
  return run(module, module.exports, createRequire(import.meta.url)) as typeof import('../../src/entries/index.js') &
    Pick<typeof import('../../src/entries/node.js'), 'listen'>;
}

test('responses need no global that jsdom in a VM context lacks', async () => {
  const { createSimulator, listen, serveRoute } = await loadInContext();
  const sim = createSimulator({
    scenario: { faults: [{ when: { method: 'HEAD' }, then: { respond: { status: 204 } } }] },
  });
  const server = await listen(sim, { port: 0 });
  onTestFinished(() => server.close());
  const headers = { authorization: 'Bearer pro-key', 'content-type': 'application/json' };
  for (const [send, baseUrl] of [
    [sim.fetch, '/v1'],
    [fetch, server.baseUrl],
  ] as const) {
    const ask = (method: string, body?: string) => send(`${baseUrl}/pets`, { method, headers, ...(body && { body }) });
    const answers = [
      await ask('GET'),
      await ask('POST', '{"name":"Ada","categoryId":1}'),
      await ask('PUT'),
      await ask('HEAD'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 405, 204]);
    expect(await answers[1]?.json()).toMatchObject({ name: 'Ada' });
  }
  const route = await serveRoute(sim, new Request('http://own.test/v1/own', { headers }), () =>
    Response.json({ own: true }),
  );
  expect([route.status, await route.json()]).toEqual([200, { own: true }]);
});
