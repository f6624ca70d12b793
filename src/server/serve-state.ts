import { createServedSimulators, type ServedSimulators } from '../control-api/served-simulators.js';
import { Sandboxes } from '../sandboxes/sandboxes.js';
import { unknownOperations } from '../scenario/operations.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import type { CustomRoutes } from './listener.js';
import { type ListenOptions, type OpenPort, openPort, type RunningServer } from './server.js';

/** Simulators of a server, with a function that closes the storage of their state. */
export interface OpenedState {
  readonly simulators: ServedSimulators;
  /** Called before the server stops to listen. */
  stop?(): void;
  close(): Promise<void>;
  /** Deletes the file that `Engine.open` created to store the server's state. Called if the server fails to start. */
  discard?(): void;
}

/** Kind of state that a server can open: in memory, in a folder, in a recorded log or in Redis. */
export interface Engine<State extends OpenedState = OpenedState> {
  /**
   * Whether several servers share the state. Such an engine gets the open port, and serves the simulators itself
   * whenever this server is the active one. Default: false.
   */
  readonly isShared?: boolean;
  /**
   * Opens the server's state: its simulators and, with `--data` or `--record`, the log that stores their changes.
   * @param host set only if `isShared` is true
   */
  open(host?: SharedHost): Promise<State>;
}

/** Server of an engine whose state several servers share. */
export interface SharedHost {
  readonly port: OpenPort;
  readonly options: ListenOptions;
  /** Adds the user's handlers and backend to a simulator. */
  mount(sim: Simulator): Promise<CustomRoutes>;
}

/** Running HTTP server and the state that it serves, such as the simulators, as one object. */
export type ServedState<State extends OpenedState> = Omit<State, 'close'> &
  Omit<RunningServer, 'sandboxes'> &
  Pick<OpenPort, 'localUrl'>;

/**
 * Opens a server's state (its simulators, and its log if any), and serves the simulators over HTTP. The result's
 * `close` stops the server, then closes the state.
 * @throws the errors of `openPort` and of the storage engine; then neither the port nor the state stays open
 */
export async function serveState<State extends OpenedState>(
  engine: Engine<State>,
  options: ListenOptions,
): Promise<ServedState<State>> {
  const bound = engine.isShared ? await openPort(options, true) : undefined;
  const host = bound && { port: bound, options, mount: (sim: Simulator) => mount(sim, options) };
  const state = await engine.open(host).catch(async (error) => {
    await bound?.close({ graceMs: 0 });
    throw error;
  });
  const closeState = state.close;
  const orClose = async <Part>(part: Promise<Part>): Promise<Part> =>
    part.catch(async (error) => {
      await closeState();
      state.discard?.();
      throw error;
    });
  const routes = bound === undefined ? await orClose(mount(state.simulators.sim, options)) : {};
  const port = bound ?? (await orClose(openPort(options)));
  if (bound === undefined) port.serve(state.simulators, routes);
  const { serve, passTo, reset, origin, ...server } = port;
  const baseUrl = origin + state.simulators.sim.basePaths[0];
  // Adds the server's fields to the object `state` instead of creating a new object. A spread would replace the getters
  // of `state` by their current values.
  return Object.assign(state, server, {
    baseUrl,
    async close(how?: { graceMs?: number }) {
      state.stop?.();
      await port.close(how);
      await closeState();
    },
  });
}

interface MemoryState extends OpenedState {
  readonly sandboxes: Sandboxes;
  /**
   * Loads a scenario into the simulator.
   * @throws {ScenarioError} for mistakes in the scenario
   */
  load(scenario: Scenario, options?: { reseed?: boolean | undefined }): Promise<void>;
}

/**
 * Creates the `Engine` of a server that keeps its state only in memory.
 * @param loadService imports the functions of the control API at the first control request
 */
export const memoryEngine = (
  sim: Simulator,
  loadService: ServedSimulators['loadService'],
  { sandboxes: limits }: Pick<ListenOptions, 'sandboxes'> = {},
): Engine<MemoryState> => ({
  async open() {
    // Measures idle time by a monotonic clock, because users can set the machine's clock.
    const sandboxes = new Sandboxes(sim, () => performance.now(), limits);
    const load: MemoryState['load'] = async (scenario, { reseed = false } = {}) => sim.load(scenario, { reseed });
    return { simulators: createServedSimulators(sim, sandboxes, loadService), sandboxes, load, close: async () => {} };
  },
});

/**
 * Adds the user's msw handlers and fallback backend to a simulator. Then checks the scenario's operation names, which
 * may be names of handlers.
 * @throws {ScenarioError} for an unknown operation
 */
async function mount(
  sim: Simulator,
  { handlers = coreOf(sim).handlerSource ?? [], openapi, upstream }: ListenOptions,
): Promise<CustomRoutes> {
  const { resolved, shared } = coreOf(sim).state;
  const routes: { -readonly [Part in keyof CustomRoutes]: CustomRoutes[Part] } = { openapi };
  // Imports the modules for handlers and backends only if used, because they take time to load.
  if (upstream !== undefined) {
    const { createUpstream } = await import('../own-routes/node/upstream.js');
    const options = typeof upstream === 'string' ? { url: upstream } : upstream;
    routes.upstream = createUpstream(options);
    routes.withoutApi = options.withoutApi;
    // Accepts any operation name in the scenario if a backend of the user handles requests (`upstream`), because a
    // backend can serve any path.
    shared.operations.acceptsAll = true;
  }
  if (typeof handlers !== 'function' && handlers.length === 0) return routes;
  const { createExtensions } = await import('../own-routes/node/extensions.js');
  routes.extensionOf = await createExtensions(sim, handlers);
  const issues = [...unknownOperations(resolved.scenario, shared.operations)];
  if (issues.length > 0) throw new ScenarioError(issues);
  return routes;
}
