// Client with Node's fetch. Makes PETSTORE_CALLS calls, and exits with code 1 if one fails permanently.
const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key, PETSTORE_OPERATION: operation } = process.env;
const isPost = operation === 'createPet';
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function call(number) {
  const body = isPost ? JSON.stringify({ name: `Pet ${process.pid}-${number}`, categoryId: 1 }) : undefined;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${base}/pets`, { method: isPost ? 'POST' : 'GET', headers, body });
    await response.arrayBuffer();
    if (response.status !== 429 || attempt === 5) return response;
    const untilReset =
      Number(response.headers.get('x-ratelimit-reset')) - Date.parse(response.headers.get('date')) / 1000;
    const seconds = Number(response.headers.get('retry-after')) || untilReset || 60;
    await sleep(seconds * 1000 + Math.random() * 100 * 2 ** attempt);
  }
}

let next = 0;
async function caller() {
  while (next < Number(process.env.PETSTORE_CALLS)) {
    const { ok, status } = await call(next++);
    if (!ok) throw new Error(`the service answered ${status}`);
  }
}
await Promise.all(Array.from({ length: Number(process.env.PETSTORE_PARALLEL) }, caller));
