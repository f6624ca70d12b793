import { beforeEach } from 'vitest';
import { type Control, ControlError, createControl, type ServerControl } from '../../src/entries/control.js';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import type { ListenOptions, RunningServer } from '../../src/entries/node.js';
import { controlOperations, sandboxOperations } from '../../src/petstore/served-petstore.js';
import { noon } from '../support/frozen.js';
import { openServer } from '../support/open-server.js';
import { apiCall, type PlainCall } from '../support/plain-call.js';

/** A simulator with its clock frozen at noon behind a server, and its control through both adapters. */
export interface Stage {
  sim: Simulator;
  server: RunningServer;
  here: Control;
  there: ServerControl;
}

export const tinyScenario = {
  name: 'tiny',
  description: 'Two pets.',
  clock: { start: noon, mode: 'frozen' },
  pets: [
    { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
    { id: 2, name: 'Luna', categoryId: 2, status: 'sold' },
  ],
} as const satisfies Scenario;

export async function openStage(scenario: Scenario = {}, options: ListenOptions = {}): Promise<Stage> {
  const sim = createSimulator({
    scenario: { ...scenario, clock: { start: noon, mode: 'frozen', ...scenario.clock } },
    scenarios: { tiny: tinyScenario },
  });
  const server = await openServer(sim, options);
  const there = createControl(server.controlUrl, { token: options.controlToken });
  return { sim, server, here: createControl(sim), there };
}

/** Opens a stage for each test of a file. */
export function stageOfEachTest(scenario: Scenario = {}, options: ListenOptions = {}): Stage {
  const stage = {} as Stage;
  beforeEach(async () => void Object.assign(stage, await openStage(scenario, options)));
  return stage;
}

export interface ApiAnswer {
  status: number;
  body: string;
}

/** A request in this process, without a connection, which a fault may delay. */
export const send = async (sim: Simulator, call?: PlainCall): Promise<ApiAnswer> => sim.handle(apiCall(call));

/** Result or error of a call, for comparison. */
export async function outcome(call: () => unknown): Promise<unknown> {
  try {
    return { result: await call() };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const { status, code, message } = error;
    return { status, code, message };
  }
}

/** Everything that a control request could change. */
export const everythingOf = (sim: Simulator, server?: RunningServer) => ({
  state: createControl(sim).exportState(),
  snapshots: createControl(sim).listSnapshots(),
  requests: sim.journal.query().length,
  sandboxes: server?.sandboxes.list().map(({ name, sim: inner }) => [name, everythingOfSandbox(inner)]),
});
const everythingOfSandbox = (sim: Simulator): unknown => everythingOf(sim);

export interface Route {
  name: string;
  method: string;
  /** With every part in braces filled in. */
  path: string;
}

/** Every route of the server, including the routes of a sandbox. */
export function everyRoute(sandbox: string): Route[] {
  const fill = (path: string) => path.replace('{sandbox}', sandbox).replace(/\{\w+\}/g, 'free-key');
  const own = Object.entries({ ...controlOperations, ...sandboxOperations });
  const inSandbox = Object.entries(controlOperations);
  return [
    ...own.map(([name, { method, path }]) => ({ name, method, path: `/__sim${fill(path)}` })),
    ...inSandbox.map(([name, { method, path }]) => ({
      name: `${name} of a sandbox`,
      method,
      path: `/__sim/sandboxes/${sandbox}${fill(path)}`,
    })),
  ];
}
