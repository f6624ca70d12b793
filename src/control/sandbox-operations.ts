import type { AnySchema } from '../schema/schema.js';
import { fields, optional } from '../schema/schemas.js';
import type { Sandbox, Sandboxes } from '../simulator/sandboxes.js';
import type { Simulator } from '../simulator/simulator.js';
import { notFound } from './control-error.js';
import type { ControlOperation } from './control-operation.js';
import { findScenario, name, scenarioInput } from './input-values.js';

/** What the operations on sandboxes work on. */
export interface SandboxHost {
  /** The server's own simulator, whose scenarios can be named. */
  sim: Simulator;
  sandboxes: Sandboxes;
  /** The origin that the caller used: `http://127.0.0.1:4010`. */
  origin: string;
}

const operation = <Schema extends AnySchema, Result>(of: ControlOperation<SandboxHost, Schema, Result>) => of;

export const noSandbox = () =>
  notFound('There is no sandbox of this name; expected one that GET /__sim/sandboxes lists. An idle one is dropped.');

const shown = (origin: string, { name, sim }: Sandbox) => ({
  name,
  scenario: sim.name,
  baseUrl: `${origin}/s/${name}/v1`,
  controlUrl: `${origin}/__sim/sandboxes/${name}`,
  requests: sim.journal.size + sim.journal.dropped,
});

/** The operations on the sandboxes of a server. Each sandbox also has every operation on a simulator, under its own path. */
export const sandboxOperations = {
  listSandboxes: operation({
    method: 'GET',
    path: '/sandboxes',
    summary: 'Lists the sandboxes in order of their last use, the oldest first',
    input: fields({}),
    run: ({ sandboxes, origin }) => sandboxes.list().map((sandbox) => shown(origin, sandbox)),
  }),
  createSandbox: operation({
    method: 'POST',
    path: '/sandboxes',
    summary: 'Makes a sandbox with the scenario of the server, or with another by its name or its content',
    status: 201,
    input: fields({ name, scenario: optional(scenarioInput) }),
    run({ sim, sandboxes, origin }, { name, scenario }) {
      return shown(origin, sandboxes.create(name, scenario === undefined ? undefined : findScenario(sim, scenario)));
    },
  }),
  getSandbox: operation({
    method: 'GET',
    path: '/sandboxes/{sandbox}',
    summary: 'Shows one sandbox; its control operations are below this path',
    input: fields({ sandbox: name }),
    run({ sandboxes, origin }, { sandbox: name }) {
      const sandbox = sandboxes.find(name);
      if (sandbox === undefined) throw noSandbox();
      return shown(origin, sandbox);
    },
  }),
  removeSandbox: operation({
    method: 'DELETE',
    path: '/sandboxes/{sandbox}',
    summary: 'Removes a sandbox and ends the requests that wait in it',
    input: fields({ sandbox: name }),
    run({ sandboxes }, { sandbox: name }) {
      if (!sandboxes.remove(name)) throw noSandbox();
      return { removed: name };
    },
  }),
};
