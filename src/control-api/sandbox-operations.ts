import { basePath } from '../petstore/document.js';
import type { Sandbox, Sandboxes } from '../sandboxes/sandboxes.js';
import type { Simulator } from '../simulator/simulator.js';
import { checkInSteps } from '../validation/check-in-steps.js';
import type { AnySchema } from '../validation/schema.js';
import { fields, list, oneOf, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { notFound } from './control-error.js';
import type { ControlOperation } from './control-operation.js';
import { described, findScenario, name, removed, scenarioInput, withJsonSchema } from './input-values.js';

/** What the operations on sandboxes work on. */
export interface SandboxHost {
  /** The server's own simulator, whose scenarios can be named. */
  sim: Simulator;
  sandboxes: Sandboxes;
  /** The origin that the caller used: `http://127.0.0.1:4010`. */
  origin: string;
}

const operation = <In extends AnySchema, Out>(of: ControlOperation<SandboxHost, In, Out, Out>) => of;

export const noSandbox = () =>
  notFound('There is no sandbox of this name; expected one that GET /__sim/sandboxes lists. An idle one is dropped.');

const url = withJsonSchema(string, { format: 'uri' });
const sandboxInfo = fields({
  name,
  scenario: described(string, 'The name of its scenario.'),
  baseUrl: described(url, 'Where its API is.'),
  controlUrl: described(url, 'Where its control API is.'),
  requests: described(count, 'Requests since its start, or since its journal was cleared.'),
  recreated: optional(described(oneOf(true), 'Only where an idle sandbox of this name was dropped before.')),
});

/** Where a sandbox is. @param origin of its server: `http://127.0.0.1:4010` */
export const sandboxUrls = (origin: string, name: string) => ({
  baseUrl: `${origin}/s/${name}${basePath}`,
  controlUrl: `${origin}/__sim/sandboxes/${name}`,
});

const shown = (origin: string, { name, sim, isRecreated }: Sandbox) => ({
  name,
  scenario: sim.name,
  ...sandboxUrls(origin, name),
  requests: sim.journal.size + sim.journal.dropped,
  ...(isRecreated && { recreated: true as const }),
});

const oneSandbox = fields({ sandbox: described(name, 'The name of the sandbox.') });
const example = { sandbox: 'mine' };

/** The operations on a server and its sandboxes. Each sandbox also has every operation on a simulator, below its own path. */
export const sandboxOperations = {
  getLinks: operation({
    method: 'GET',
    path: '/',
    summary: 'Tells where to go from here; a browser gets the page instead, which shows all of it',
    input: fields({}),
    result: fields({
      scenario: described(string, 'The name of the scenario.'),
      api: described(url, 'Where the API is.'),
      page: described(url, 'A page for people.'),
      description: described(url, 'Every operation of the control API, in OpenAPI 3.1.'),
      service: described(url, 'The service, in OpenAPI 3.1.'),
      verdict: described(url, 'The verdict on the client.'),
      journal: described(url, 'The newest requests.'),
    }),
    run: ({ sim, origin }) => ({
      scenario: sim.name,
      api: `${origin}${basePath}`,
      page: `${origin}/__sim/`,
      description: `${origin}/__sim/openapi.json`,
      service: `${origin}/__sim/service.json`,
      verdict: `${origin}/__sim/verdict`,
      journal: `${origin}/__sim/journal`,
    }),
  }),
  listSandboxes: operation({
    method: 'GET',
    path: '/sandboxes',
    summary: 'Lists the sandboxes in order of their last use, the oldest first',
    input: fields({}),
    result: list(sandboxInfo),
    run: ({ sandboxes, origin }) => sandboxes.list().map((sandbox) => shown(origin, sandbox)),
  }),
  createSandbox: operation({
    method: 'POST',
    path: '/sandboxes',
    summary: 'Makes a sandbox with the scenario of the server, or with another by its name or its content',
    status: 201,
    input: fields({ name, scenario: optional(scenarioInput) }),
    example: { name: 'mine' },
    refusals: [404, 409, 503],
    result: sandboxInfo,
    *run({ sim, sandboxes, origin }, { name, scenario }) {
      const content = scenario === undefined ? undefined : findScenario(sim, scenario);
      return shown(origin, yield* sandboxes.createInSteps(name, content, checkInSteps));
    },
  }),
  getSandbox: operation({
    method: 'GET',
    path: '/sandboxes/{sandbox}',
    summary: 'Shows one sandbox; its control operations are below this path',
    input: oneSandbox,
    example,
    result: sandboxInfo,
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
    input: oneSandbox,
    example,
    result: removed,
    run({ sandboxes }, { sandbox: name }) {
      if (!sandboxes.remove(name)) throw noSandbox();
      return { removed: name };
    },
  }),
};
