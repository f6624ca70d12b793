import type { Sandbox, Sandboxes } from '../sandboxes/sandboxes.js';
import { clientOf } from '../scenario/client.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { Simulator } from '../simulator/simulator.js';
import { checkInSteps } from '../validation/check-in-steps.js';
import { type AnySchema, refine, type Schema } from '../validation/schema.js';
import { fields, kind, list, oneOf, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { isMap } from '../values/plain-data.js';
import type { SandboxControl } from './control.js';
import { notFound } from './control-error.js';
import type { ControlOperation } from './control-operation.js';
import { described, findScenario, name, removed, withJsonSchema } from './input-values.js';
import { runReportSchema } from './run-operations.js';
import type { RunReport } from './run-report.js';

/** Server whose sandboxes the control operations create, list and remove. */
export interface SandboxHost {
  /** The server's own simulator, which serves all requests outside of sandboxes. */
  sim: Simulator;
  sandboxes: Sandboxes;
  /** Origin of the called URL: `http://127.0.0.1:4010`. */
  origin: string;
  /**
   * Judges a client by the text of a recording. The server provides the function, because simulators in a page have no
   * code for it.
   */
  judgeFile(file: RecordedText, signal?: AbortSignal): Promise<RunReport>;
}

const fileContent = kind<string | Uint8Array>(
  'the content of a file',
  (value) => typeof value === 'string' || value instanceof Uint8Array,
  { type: 'string' },
);

/** Yes or no, as text in a query. */
const truth = oneOf(true, false, 'true', 'false');

/** Named file with a recording: HAR or JSON Lines. The other fields are those of `petstore-sim judge`. */
export type RecordedText = Parameters<SandboxControl['judgeFile']>[0];

const operation = <In extends AnySchema, Out>(of: ControlOperation<SandboxHost, In, Out, Out>) => of;
const asyncOperation = <In extends AnySchema, Out>(of: ControlOperation<SandboxHost, In, Out, Promise<Out>>) => of;

export const noSandbox = () =>
  notFound('Unknown sandbox; expected a name that GET /__sim/sandboxes lists. Idle sandboxes are dropped.');

const url = withJsonSchema(string, { format: 'uri' });
const sandboxInfo = fields({
  name,
  scenario: described(string, 'Name of the scenario.'),
  baseUrl: described(url, 'API URL of the sandbox.'),
  controlUrl: described(url, 'Control URL of the sandbox.'),
  apiKey: described(string, 'API key that the client should use, unmasked.'),
  requests: described(count, 'Number of requests since the start, or since the journal was cleared.'),
  recreated: optional(described(oneOf(true), 'Set if an idle sandbox of this name was dropped before.')),
});

/**
 * Returns the URLs of the API and the control API of a sandbox.
 * @param origin origin of the server: `http://127.0.0.1:4010`
 */
export const sandboxUrls = (origin: string, { name, base }: Sandbox) => ({
  baseUrl: origin + base,
  controlUrl: `${origin}/__sim/sandboxes/${name}`,
});

const shown = (origin: string, sandbox: Sandbox) => ({
  name: sandbox.name,
  scenario: sandbox.sim.name,
  ...sandboxUrls(origin, sandbox),
  apiKey: clientOf(sandbox.sim.scenario).key,
  requests: sandbox.sim.journal.size + sandbox.sim.journal.dropped,
  ...(sandbox.isRecreated && { recreated: true as const }),
});

const oneSandbox = fields({ sandbox: described(name, 'Name of the sandbox.') });
const example = { sandbox: 'mine' };

/**
 * Creates the operations on a server's sandboxes. Each sandbox also has all operations on a simulator, below its own
 * path.
 * @param scenarioInput schema of a sandbox's scenario
 */
export const createSandboxOperations = (scenarioInput: Schema<string | Scenario>) => ({
  getLinks: operation({
    method: 'GET',
    path: '/',
    summary: 'Lists the URLs of the server; a browser receives the dashboard instead',
    input: fields({}),
    result: fields({
      scenario: described(string, 'Name of the scenario.'),
      api: described(url, 'API URL.'),
      page: described(url, 'URL of the dashboard.'),
      description: described(url, 'URL of the control API’s description, in OpenAPI 3.1.'),
      service: described(url, 'URL of the service’s description, in OpenAPI 3.1.'),
      verdict: described(url, 'URL of the verdict on the client.'),
      journal: described(url, 'URL of the newest requests.'),
    }),
    run: ({ sim, origin }) => ({
      scenario: sim.name,
      api: origin + sim.basePaths[0],
      page: `${origin}/__sim/`,
      description: `${origin}/__sim/openapi.json`,
      service: `${origin}/__sim/service.json`,
      verdict: `${origin}/__sim/verdict`,
      journal: `${origin}/__sim/journal`,
    }),
  }),
  judgeFile: asyncOperation({
    method: 'POST',
    path: '/judge',
    isRead: true,
    bodyField: 'text',
    maximumBytes: 48 * 1024 * 1024,
    ifTooLarge: 'petstore-sim judge FILE judges a file of any size',
    summary: 'Judges a client by a recording, HAR or JSON Lines, as `petstore-sim judge` does; nothing is stored',
    input: fields({
      name: described(
        refine(string, (name) => name !== '', 'the name of the file'),
        'Name of the file.',
      ),
      text: described(fileContent, 'Content of the file.'),
      baseUrl: optional(described(string, 'Base URL of the service, if it is not the simulated one.')),
      ended: optional(described(truth, 'Whether the client had ended.')),
      oneKey: optional(described(truth, 'Whether all requests had the same key, which the recording omits.')),
    }),
    example: {
      name: 'client.jsonl',
      text: '{"time":"2026-01-01T12:00:00Z","durationMs":9,"method":"GET","baseUrl":"http://127.0.0.1:4010/v1","path":"/pets","status":200}',
    },
    result: runReportSchema as Schema<RunReport>,
    isLong: true,
    run: ({ judgeFile }, file, { signal }) => judgeFile(file, signal),
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
    summary: 'Creates a sandbox with the scenario of the server, or with another scenario by its name or content',
    status: 201,
    input: fields({ name, scenario: optional(scenarioInput) }),
    example: { name: 'mine' },
    refusals: [404, 409, 503],
    result: sandboxInfo,
    *run({ sim, sandboxes, origin }, { name, scenario }) {
      // Names a scenario without a name `unnamed`. Otherwise the merge with the default scenario would add the default
      // scenario's name.
      const own: typeof scenario = isMap(scenario) ? { name: 'unnamed', ...scenario } : scenario;
      const content = own === undefined ? undefined : findScenario(sim, own);
      return shown(origin, yield* sandboxes.createInSteps(name, content, checkInSteps));
    },
  }),
  getSandbox: operation({
    method: 'GET',
    path: '/sandboxes/{sandbox}',
    summary:
      'Shows one sandbox. The path of each control operation of this sandbox begins with the path of this operation',
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
    summary: 'Removes a sandbox and aborts its pending requests',
    input: oneSandbox,
    example,
    result: removed,
    run({ sandboxes }, { sandbox: name }) {
      if (!sandboxes.remove(name)) throw noSandbox();
      return { removed: name };
    },
  }),
});
