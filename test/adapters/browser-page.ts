import { setupWorker } from 'msw/browser';
import { createSimulator } from '../../src/entries/index.js';
import { handlers } from '../../src/entries/msw.js';
import { persist } from '../../src/entries/persist.js';
import { callsScenario, makeCalls } from './calls.js';

// The page of browser.test.ts, whose functions are called from there and return plain data.

const sim = createSimulator({ scenario: callsScenario });

/** Part of a response that code in a page can read. */
interface Seen {
  status: number;
  headers: Record<string, string>;
  body: string;
}

async function seen(response: Response): Promise<Seen> {
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), body: await response.text() };
}

const page = {
  /** Starts msw with the simulator, and makes every call of the table. */
  async makeCallsThroughWorker() {
    await setupWorker(...handlers(sim)).start({ quiet: true });
    return makeCalls(fetch, sim);
  },

  /** Starts msw with a simulator that keeps its state for the next load. */
  async startPersistent() {
    const kept = createSimulator({ scenario: { keys: { 'tight-key': { plan: 'free', usage: { minute: 59 } } } } });
    await setupWorker(...handlers(kept, { onAnswer: persist(kept, sessionStorage) })).start({ quiet: true });
    Object.assign(globalThis, { kept });
  },

  /** One call; an exception gives its name. */
  async call(url: string, key: string, init: RequestInit = {}): Promise<Seen | string> {
    const headers = { authorization: `Bearer ${key}`, ...(init.body ? { 'content-type': 'application/json' } : {}) };
    return fetch(url, { ...init, headers }).then(seen, (error: Error) => error.name);
  },

  /** One call by XMLHttpRequest. */
  callByXhr(url: string, key: string): Promise<Seen> {
    return new Promise((resolve, reject) => {
      const xhr = new XMLHttpRequest();
      xhr.open('GET', url);
      xhr.setRequestHeader('authorization', `Bearer ${key}`);
      xhr.onerror = () => reject(new Error('network error'));
      xhr.onload = () => {
        const lines = xhr.getAllResponseHeaders().trim().split('\r\n');
        const headers = lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
        resolve({ status: xhr.status, headers: Object.fromEntries(headers), body: xhr.responseText });
      };
      xhr.send();
    });
  },
};

export type BrowserPage = typeof page;
Object.assign(globalThis, { petstore: page });
