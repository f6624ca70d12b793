// Passes every scenario: all callers share one wait with jitter, and a lost write is looked up before a retry.
const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key, PETSTORE_OPERATION: operation } = process.env;
const calls = Number(process.env.PETSTORE_CALLS ?? 1);
const parallel = Number(process.env.PETSTORE_PARALLEL ?? 1);
const longestWaitMs = 90_000;
let openAtMs = 0; // earliest time at which any caller may send, in Unix milliseconds
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function askedWaitMs({ status, headers }, attempt) {
  const sentMs = Date.parse(headers.get('date')) || Date.now();
  const reset = Number((status < 500 && headers.get('x-ratelimit-reset')) || Number.NaN); // not after a 5xx
  const untilResetMs = reset > 1e11 ? reset - sentMs : reset > 1e8 ? reset * 1000 - sentMs : reset * 1000;
  const text = headers.get('retry-after') ?? '';
  const retryAfterMs = /^\d+(\.\d+)?$/.test(text) ? Math.ceil(Number(text)) * 1000 : Date.parse(`${text} `) - sentMs;
  const isAbsurd = retryAfterMs > 10 * untilResetMs; // another unit
  const askedMs = isAbsurd || !(retryAfterMs >= 0) ? untilResetMs : retryAfterMs;
  return Math.max(askedMs || 0, 1000 * 2 ** attempt);
}

async function call(path, init) {
  for (let attempt = 0; ; attempt++) {
    while (Date.now() < openAtMs) await sleep(openAtMs - Date.now() + Math.random() * 500);
    const signal = AbortSignal.timeout(20_000);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    let response;
    try {
      response = await fetch(base + path, { ...init, headers, signal });
      const text = await response.text();
      if (response.ok) return JSON.parse(text);
    } catch (error) {
      response = { status: 0, headers: new Headers(), error };
    }
    const { status } = response;
    const isRefused = status === 429 || (status < 500 && response.headers.has('retry-after'));
    if (!isRefused && (init.method === 'POST' || (status > 0 && status < 500))) {
      if (init.method === 'POST' && (status === 0 || status >= 500) && (await isStored(init.body))) return;
      throw new Error(`${init.method} ${path}: ${response.error ?? status}`);
    }
    const waitMs = askedWaitMs(response, attempt);
    if (attempt === 4 || waitMs > longestWaitMs)
      throw new Error(`gave up on ${path}: ${status}, asked to wait ${waitMs} ms`);
    openAtMs = Math.max(openAtMs, Date.now() + waitMs);
  }
}

const isStored = async (body) => {
  const pets = await call('/pets?limit=100', { method: 'GET' });
  return pets.some(({ name }) => name === JSON.parse(body).name);
};

let next = 0;
async function caller() {
  while (next < calls) {
    const number = next++;
    if (operation === 'createPet') {
      const body = JSON.stringify({ name: `Pet ${process.pid}-${number}`, categoryId: 1 });
      await call('/pets', { method: 'POST', body });
    } else await call(operation === 'getPet' ? '/pets/1' : '/pets', { method: 'GET' });
  }
}
await Promise.all(Array.from({ length: parallel }, caller));
