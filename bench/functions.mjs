// Measures functions of src alone, in nanoseconds of processor time: `node --expose-gc bench/functions.mjs [FOLDER...]`
// alternates rounds of this folder and of other checkouts, because the speed of a machine drifts. With `--only WORD`,
// those whose name has the word.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import * as v from 'valibot';
import { median } from './median.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, rounds: { type: 'string', default: '15' } },
});
const folders = [join(import.meta.dirname, '..'), ...positionals.map((folder) => resolve(folder))];
const rounds = Number(values.rounds);

const contents = `
export { petstore } from './petstore/petstore.js';
export { admit } from './rate-limits/admission.js';
export { createApiKey } from './rate-limits/api-key.js';
export { windowAlgorithm } from './rate-limits/window.js';
export { apiKeySchema } from './scenario/key-state-schema.js';
export { resolveScenario } from './petstore/scenario.js';
export { scenarioRules } from './petstore/scenario.js';
export { check } from './validation/schema.js';
export { list } from './validation/schemas.js';
export { createSimulator } from './entries/index.js';`;

/** Bundles the functions of a checkout as a module of its own. */
async function load(folder) {
  const options = { bundle: true, platform: 'node', format: 'esm', target: 'es2022', write: false, logLevel: 'silent' };
  const { outputFiles } = await build({ stdin: { contents, resolveDir: join(folder, 'src') }, ...options });
  const code = Buffer.concat([Buffer.from(`// ${Math.random()}\n`), outputFiles[0].contents]);
  return import(`data:text/javascript;base64,${code.toString('base64')}`);
}

const nowMs = Date.UTC(2026, 0, 1);
const keyCount = 150_000;
const tokens = Array.from({ length: keyCount }, (_, n) => `key-${n}`);
const keys = Object.fromEntries(tokens.map((token) => [token, { plan: 'pro', usage: { minute: 3, day: 40 } }]));
const windowState = (used) => ({ startSeconds: nowMs / 1000, used, log: [] });
const exported = tokens.map((key) => ({
  ...{ key, plan: 'pro', state: 'active', minute: windowState(3), day: windowState(40), episodes: 0, strikes: 0 },
  ...{ bans: 0, bannedFromMs: 0, bannedUntilMs: 0, banCause: 'set', backgroundSeconds: nowMs / 1000 },
}));

/** Times of a checkout's functions: calls per round, and the function. */
function worksOf(source) {
  const { petstore, admit, createApiKey, windowAlgorithm, resolveScenario, scenarioRules, check, createSimulator } =
    source;
  const resolved = resolveScenario({});
  const { settings } = resolved;
  const call = (method, path) => ({ method, path, query: '', baseUrl: 'http://petstore.test/v1' });
  const single = Array.from({ length: 16 }, (_, n) => call('GET', `/pets/${1 + n * 37}`));
  const all = call('GET', '/pets');
  const algorithm = windowAlgorithm(settings);
  const definition = { plan: 'free', state: 'active', usage: {}, bannedForMs: 0 };
  const keyWith = (minute) =>
    createApiKey('key', definition, { minute, day: 1e9 }, { minute: 60, day: 86_400 }, nowMs, 0);
  const [open, full] = [keyWith(1e9), keyWith(1)];
  const counted = { isLimited: true, counts: true };
  const orders = 'GET /v1/orders';
  const sim = createSimulator({
    scenario: {
      plans: { wide: { minute: 1e9, day: 1e9 } },
      keys: { 'wide-key': { plan: 'wide' } },
      faults: [{ when: { operation: orders }, then: { respond: { status: 503 } } }],
    },
  });
  const request = { ...all, header: (name) => (name === 'authorization' ? 'Bearer wide-key' : undefined) };
  const ownRoute = { ...request, path: '/orders', route: { operation: orders } };
  const checkAll = (schema, value) => () => {
    const issues = [];
    check(schema, value, issues);
    if (issues.length > 0) throw new Error(issues[0].message);
  };
  return {
    'find of listPets': [400_000, () => petstore.find(all, resolved, nowMs)],
    'find of getPet': [300_000, (n) => petstore.find(single[n & 15], resolved, nowMs)],
    'admit, accepted': [400_000, (n) => admit(open, algorithm, settings, nowMs + (n >> 4), counted)],
    'admit, refused': [100_000, (n) => admit(full, algorithm, settings, nowMs + (n >> 10), counted)],
    'request for listPets': [20_000, () => sim.handle(request)],
    'request for an own route': [50_000, () => sim.handle(ownRoute)],
    'check of 150,000 keys': [1, checkAll(scenarioRules.schema, { keys })],
    'check of 150,000 exported keys': [1, checkAll(source.list(source.apiKeySchema), exported)],
  };
}

/** The same checks by valibot, with the same rules. */
function worksOfValibot() {
  const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
  const token = v.pipe(v.string(), v.regex(/^[\x21-\x2b\x2d-\x7e\xa1-\xff]+$/));
  const duration = v.union([v.string(), v.number()]);
  const usage = v.record(v.string(), count);
  const state = v.picklist(['active', 'revoked']);
  const key = v.strictObject({
    plan: v.optional(v.string()),
    state: v.optional(state),
    expiresAt: v.optional(duration),
    expiresIn: v.optional(duration),
    usage: v.optional(usage),
    bannedFor: v.optional(duration),
  });
  const span = v.pipe(v.number(), v.minValue(0), v.maxValue(8.64e15));
  const seconds = v.pipe(v.number(), v.safeInteger(), v.minValue(-1), v.maxValue(8.64e12));
  const window = v.strictObject({ startSeconds: seconds, used: count, log: v.array(v.strictTuple([seconds, count])) });
  const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(8.64e15));
  const exportedKey = v.strictObject({
    key: token,
    plan: v.string(),
    state,
    expiresAtMs: v.optional(span),
    minute: v.optional(window),
    day: v.optional(window),
    windows: v.optional(v.record(v.string(), window)),
    preset: v.optional(
      v.strictObject({ usage, bannedForMs: span, expiresInMs: v.optional(span), clockMovedMs: whole }),
    ),
    episode: v.optional(v.strictObject({ firstRefusalMs: whole, promisedAtSeconds: seconds })),
    episodes: count,
    strikes: count,
    bans: count,
    bannedFromMs: v.optional(whole, 0),
    bannedUntilMs: span,
    banCause: v.optional(v.picklist(['strikes', 'set']), 'strikes'),
    backgroundSeconds: seconds,
  });
  const checkAll = (schema, value) => () => {
    if (!v.safeParse(schema, value).success) throw new Error('expected valid keys');
  };
  return {
    'check of 150,000 keys': [1, checkAll(v.strictObject({ keys: v.record(token, key) }), { keys })],
    'check of 150,000 exported keys': [1, checkAll(v.array(exportedKey), exported)],
  };
}

const checkouts = await Promise.all(folders.map(load));
const sides = [...checkouts.map(worksOf), worksOfValibot()];
const names = [...folders.map((_, n) => (n === 0 ? 'here' : `other ${n}`)), 'valibot'];
let results = 0;

function nanosecondsOf([times, act]) {
  // Only before long work, because a full collection drops optimized code.
  if (times === 1) globalThis.gc?.();
  const start = process.cpuUsage();
  for (let n = 0; n < times; n++) if (act(n) !== undefined) results++;
  const { user, system } = process.cpuUsage(start);
  return ((user + system) * 1000) / times;
}

for (const name of Object.keys(sides[0]).filter((each) => each.includes(values.only))) {
  const works = sides.flatMap((side, n) => (name in side ? { side: names[n], work: side[name], samples: [] } : []));
  for (const { work } of works) nanosecondsOf(work);
  for (let round = 0; round < rounds; round++) {
    for (const each of round % 2 === 0 ? works : works.toReversed()) each.samples.push(nanosecondsOf(each.work));
  }
  const [here] = works;
  const cells = works.map(({ side, samples }) => {
    const ratio = median(here.samples.map((sample, n) => sample / samples[n]));
    return `${side} ${Math.round(median(samples))} ns${side === 'here' ? '' : ` (here ${ratio.toFixed(2)} of it)`}`;
  });
  console.log(`${name}: ${cells.join(', ')}`);
}

/** Heap per key of a simulator, and of its snapshot. In a function, so that no simulator outlives its measurement. */
function bytesPerKey({ createSimulator }) {
  const heap = () => [globalThis.gc(), globalThis.gc(), process.memoryUsage().heapUsed].at(-1) / keyCount;
  const sim = createSimulator();
  const before = heap();
  for (const token of tokens) sim.keys.add(token, { plan: 'free' });
  const live = heap();
  const saved = sim.snapshot();
  const copied = heap() - live;
  if (saved === undefined) throw new Error('expected a snapshot');
  return `${Math.round(live - before)}, copied ${Math.round(copied)}`;
}

if (globalThis.gc !== undefined && 'bytes per key'.includes(values.only)) {
  for (const [n, source] of checkouts.entries()) console.log(`bytes per key, ${names[n]}: ${bytesPerKey(source)}`);
}
if (results < 0) throw new Error('unreachable');
