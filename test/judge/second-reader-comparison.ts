import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inParallel } from '../../src/cli/in-parallel.js';
import { type Agreement, compare, type Difference } from './second-reader-agreement.js';
import { documentedClients, foreignClients, prepareClients, scenarios } from './second-reader-clients.js';
import { readRun, recordRun, writeRun } from './second-reader-runs.js';

/** Clients at once. */
const lanes = 24;
/** Time limit of one run, in milliseconds. */
const timeoutMs = 20_000;

const recorded = fileURLToPath(new URL('../../node_modules/.cache/petstore-sim/second-reader/', import.meta.url));
const resultsFile = fileURLToPath(new URL('second-reader-results.json', import.meta.url));

/** `second-reader-results.json`: the agreement, and the reason for each remaining difference. */
export interface SecondReaderResults
  extends Pick<Agreement, 'runs' | 'clients' | 'scenarios' | 'outcome' | 'findings'> {
  falseAccusations: number;
  differences: (Pick<Difference, 'client' | 'scenario' | 'judge' | 'reader'> & { why: string })[];
}

export const readResults = (): SecondReaderResults => JSON.parse(readFileSync(resultsFile, 'utf8'));

/**
 * Runs clients, compares both judgements and prints each difference.
 * @param words names of clients or scenarios, to run these alone; `again`: judges the recorded runs; `rest`: runs the pairs
 * that have no recorded run
 */
export async function secondReader(words: readonly string[], say: (line: string) => void): Promise<void> {
  const all = [...foreignClients, ...documentedClients];
  const modes = ['again', 'rest'];
  const isNamed = (name: string) => words.includes(name) || words.some((word) => name.startsWith(`${word} `));
  const among = <Item extends { name: string }>(items: readonly Item[]) => {
    const named = items.filter(({ name }) => isNamed(name));
    return named.length > 0 ? named : items;
  };
  const unknown = words.filter(
    (word) =>
      !modes.includes(word) && ![...all, ...scenarios].some(({ name }) => name === word || name.startsWith(`${word} `)),
  );
  if (unknown.length > 0) throw new Error(`expected names of clients or scenarios, got ${unknown.join(', ')}`);
  const pairs = among(scenarios).flatMap((scenario) => among(all).map((client) => ({ client, scenario })));
  const fileOf = ({ client, scenario }: (typeof pairs)[number]) => `${recorded}${client.name} ${scenario.name}.json`;
  if (!words.includes('again')) {
    prepareClients();
    mkdirSync(recorded, { recursive: true });
    process.setMaxListeners(0);
    // Each run passes these signals on to its command; the comparison ends as well.
    const stopped = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort(signal));
    const open = pairs
      .filter((pair) => !words.includes('rest') || !existsSync(fileOf(pair)))
      // In an order of no pattern, so that an interrupted comparison leaves an even sample.
      .sort((a, b) => (orderOf(fileOf(a)) < orderOf(fileOf(b)) ? -1 : 1));
    await inParallel(
      open,
      async (pair) => {
        const run = await recordRun(pair.client, pair.scenario, timeoutMs);
        if (stopped.signal.aborted) return;
        if (run.sent.length === 0) say(`${run.client} sent no request in ${run.scenario}: ${run.output}`);
        else writeFileSync(fileOf(pair), writeRun(run));
      },
      {
        concurrency: lanes,
        stopped: stopped.signal,
        onDone: (done) => done % 50 === 0 && say(`${done} of ${open.length} runs`),
      },
    );
    if (stopped.signal.aborted) return;
  }
  const files = new Set(pairs.map(fileOf));
  const runs = readdirSync(recorded).filter((name) => files.has(recorded + name));
  const agreement = compare(readRuns(runs));
  for (const each of agreement.differences) {
    say(`${each.scenario}, ${each.client}: ${each.run}`);
    say(`  judge  ${each.judge}\n  reader ${each.reader}\n  ${each.reason}`);
  }
  const percent = (count: number) => `${((100 * count) / agreement.runs).toFixed(2)} %`;
  say(
    `${agreement.runs} runs of ${agreement.clients} clients in ${agreement.scenarios} scenarios: the same outcome in ${percent(agreement.outcome)}, the same findings in ${percent(agreement.findings)}`,
  );
  if (words.every((word) => modes.includes(word))) writeResults(agreement);
}

const orderOf = (name: string) => createHash('sha256').update(name).digest('hex');

function* readRuns(names: readonly string[]) {
  for (const name of names) yield readRun(readFileSync(recorded + name, 'utf8'));
}

/** Explanations written by hand stay for differences that stay. */
function writeResults({ runs, clients, scenarios: count, outcome, findings, differences }: Agreement): void {
  const before = existsSync(resultsFile) ? readResults().differences : [];
  const shown = differences.map(({ client, scenario, judge, reader }) => {
    const same = before.find(
      (each) => each.client === client && each.scenario === scenario && each.judge === judge && each.reader === reader,
    );
    return { client, scenario, judge, reader, why: same?.why ?? '' };
  });
  const results: SecondReaderResults = {
    runs,
    clients,
    scenarios: count,
    outcome,
    findings,
    falseAccusations: differences.filter(({ accuses }) => accuses).length,
    differences: shown,
  };
  const text = JSON.stringify(results, undefined, 1).replace(/\{\n {3}"client"[^{}]*\}/g, (line) =>
    line.replace(/\n */g, ' '),
  );
  writeFileSync(resultsFile, `${text}\n`);
}
