import { type Client, clients } from './clients.js';
import { gauntletScenarios } from './gauntlet.js';
import { type GauntletCell, readResults } from './results.js';

const { clients: results } = readResults();
const libraries = clients.filter(({ isLoop }) => !isLoop);
const total = gauntletScenarios.length;

/** Reasons for the scenarios that a client with its settings does not pass. */
export const remaining: Record<string, string> = {
  'abort-while-waiting': 'the scenario tests a caller that aborts during the wait; these programs never abort',
  'truncated-json':
    'these clients retry only until the response head arrives; a truncated body is an error for the caller, who may send the GET again',
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

/** `53 of 56`, or `not run` unless every scenario was run. */
function gauntletCount({ id }: Client): string {
  const { passed = [], others = {} } = results[id]?.gauntlet ?? {};
  return passed.length + Object.keys(others).length === total ? `${passed.length} of ${total}` : 'not run';
}

/** Passed scenarios of all clients as a clause: `36 pass 55 of the 56 scenarios of the gauntlet, 2 pass 54`. */
export function gauntletRange(): string {
  const counts = libraries.map((client) => gauntletCount(client).replace(/ of .*/, ''));
  const distinct = [...new Set(counts)].sort().reverse();
  const clauses = distinct.map((count) => `${counts.filter((each) => each === count).length} pass ${count}`);
  const [most, ...fewer] = clauses;
  return [`${most} of the ${total} scenarios of the gauntlet`, ...fewer].join(', ');
}

/** Scenarios that did not pass, with clients and reason. */
export function gauntletSection(): string {
  const left = notPassed();
  const lines = [...new Set(left.map(({ scenario }) => scenario))].sort().map((scenario) => {
    const of = left.filter((each) => each.scenario === scenario);
    const names = of.map(({ client, cell }) => `${client.name} (${[cell.outcome, ...cell.codes].join(', ')})`);
    const who = of.length === libraries.length ? `all clients (${of[0]?.cell.outcome})` : names.join(', ');
    return `- \`${scenario}\`, ${who}: ${remaining[scenario]}.`;
  });
  return [
    '## Gauntlet',
    `With its settings, each client also ran through the ${total} [scenarios](scenarios.md) of \`petstore-sim gauntlet\`. Callers of one client share no gate: each waits by itself, with jitter. [\`petstore-sim hunt\`](hunt.md) tried 40 scenarios with each client: the missing gate is its only find, with five callers and slow responses. These runs did not pass:`,
    lines.join('\n'),
  ].join('\n\n');
}
