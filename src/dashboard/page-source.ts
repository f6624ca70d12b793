import type { Update } from '../control-api/update-stream.js';
import { type Source, SourceError, updatesPath } from './source.js';

/** Runs a control request on a simulator in this page, in place of a request to a server. */
export type AnswerControl = (request: { method: string; path: string; body?: object }, signal?: AbortSignal) => unknown;

/** Creates the dashboard's data source for a simulator in the same page. */
export function createPageSource(answer: AnswerControl): Source {
  const ask = async (...request: Parameters<AnswerControl>) => {
    try {
      return await answer(...request);
    } catch (error) {
      const { status = 500, message } = error as { status?: number; message: string };
      throw new SourceError(status, message);
    }
  };
  const items = new Map<string, string>();
  return {
    kind: 'page',
    storage: {
      getItem: (name) => items.get(name) ?? null,
      setItem: (name, text) => void items.set(name, text),
      removeItem: (name) => void items.delete(name),
    },
    baseUrl: `${location.origin}/v1`,
    send: async <Result>(method: string, path: string, body?: object) =>
      (await ask({ method, path, ...(body && { body }) })) as Result,
    async text(path) {
      const result = await ask({ method: 'GET', path });
      return typeof result === 'string' ? result : JSON.stringify(result);
    },
    async watch(since, take, signal) {
      const updates = await ask({ method: 'GET', path: updatesPath(since) }, signal);
      for await (const update of updates as AsyncIterable<Update>) take(update);
      return false;
    },
  };
}
