import { type Client, clients } from './clients.js';
import { gauntletScenarios } from './gauntlet.js';
import { type GauntletCell, readResults } from './results.js';

const { clients: results } = readResults();
const libraries = clients.filter(({ isLoop }) => !isLoop);
const total = gauntletScenarios.length;

/** Reason for each scenario that some client, set right, does not pass. */
export const remaining: Record<string, string> = {
  'abort-while-waiting':
    'it is about a caller that gives up during the wait, and the programs have none, so nothing is put to the test',
  'truncated-json':
    'the retries of these clients end with the head of the response, so a body that breaks off is an error for their caller, who may send the GET again',
};

interface Remaining {
  client: Client;
  scenario: string;
  cell: GauntletCell;
}

/** Runs of the gauntlet that did not pass. */
export const notPassed = (): Remaining[] =>
  clients.flatMap((client) =>
    Object.entries(results[client.id]?.gauntlet?.others ?? {}).map(([scenario, cell]) => ({ client, scenario, cell })),
  );

/** `53 of 56`, or that not every scenario was run. */
export function gauntletCount({ id }: Client): string {
  const { passed = [], others = {} } = results[id]?.gauntlet ?? {};
  return passed.length + Object.keys(others).length === total ? `${passed.length} of ${total}` : 'not run';
}

/** The counts of all clients in a sentence: `36 pass 55 of the 56 scenarios of the gauntlet, 2 pass 54`. */
export function gauntletRange(): string {
  const counts = libraries.map((client) => gauntletCount(client).replace(/ of .*/, ''));
  const distinct = [...new Set(counts)].sort().reverse();
  const clauses = distinct.map((count) => `${counts.filter((each) => each === count).length} pass ${count}`);
  const [most, ...fewer] = clauses;
  return [`${most} of the ${total} scenarios of the gauntlet`, ...fewer].join(', ');
}

/** The scenarios that remain, with the clients and the reason. */
export function gauntletSection(): string {
  const left = notPassed();
  const lines = [...new Set(left.map(({ scenario }) => scenario))].sort().map((scenario) => {
    const of = left.filter((each) => each.scenario === scenario);
    const names = of.map(({ client, cell }) => `${client.name} (${[cell.outcome, ...cell.codes].join(', ')})`);
    const who = of.length === libraries.length ? `all of them (${of[0]?.cell.outcome})` : names.join(', ');
    return `- \`${scenario}\`, ${who}: ${remaining[scenario]}.`;
  });
  return [
    '## Through the gauntlet',
    `With the settings below, each client also ran against the ${total} [scenarios](scenarios.md) that expect something of a client, as \`petstore-sim gauntlet\` runs them. Its callers share no gate: each waits on its own, at random, and the key is not banned as long as all of them start within a second. So a burst whose callers are processes that start slowly was run again, at most twice. These are left:`,
    lines.join('\n'),
  ].join('\n\n');
}
