import type { AnySchema } from '../schema/schema.js';
import { fields, optional } from '../schema/schemas.js';
import type { Sandbox, Sandboxes } from '../simulator/sandboxes.js';
import { notFound } from './control-error.js';
import { name, scenarioInput } from './input-values.js';
import type { Operation } from './operation.js';

/** The sandboxes of a server, and where the server is for whoever asks. */
export interface SandboxHost {
  sandboxes: Sandboxes;
  /** `http://127.0.0.1:4010` */
  origin: string;
}

const operation = <Schema extends AnySchema, Result>(of: Operation<SandboxHost, Schema, Result>) => of;

export const noSandbox = () =>
  notFound('There is no sandbox of this name; expected one that GET /__sim/sandboxes lists. An idle one is dropped.');

const shown = (origin: string, { name, sim }: Sandbox) => ({
  name,
  scenario: sim.name,
  baseUrl: `${origin}/s/${name}/v1`,
  controlUrl: `${origin}/__sim/sandboxes/${name}`,
  requests: sim.journal.size + sim.journal.dropped,
});

/** The operations on the sandboxes of a server. Those on one simulator are there for each under `/sandboxes/NAME`. */
export const sandboxOperations = {
  listSandboxes: operation({
    method: 'GET',
    path: '/sandboxes',
    summary: 'The sandboxes, the longest unused first',
    input: fields({}),
    run: ({ sandboxes, origin }) => sandboxes.list().map((sandbox) => shown(origin, sandbox)),
  }),
  createSandbox: operation({
    method: 'POST',
    path: '/sandboxes',
    summary: 'Makes a sandbox, with the scenario of the server or another, by its name or its content',
    status: 201,
    input: fields({ name, scenario: optional(scenarioInput) }),
    run: ({ sandboxes, origin }, { name, scenario }) => shown(origin, sandboxes.create(name, scenario)),
  }),
  getSandbox: operation({
    method: 'GET',
    path: '/sandboxes/{sandbox}',
    summary: 'One sandbox; its control operations are under this path',
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
    summary: 'Removes a sandbox; requests that wait in it are cut off',
    input: fields({ sandbox: name }),
    run({ sandboxes }, { sandbox: name }) {
      if (!sandboxes.remove(name)) throw noSandbox();
      return { removed: name };
    },
  }),
};
