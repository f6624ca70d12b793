import { isPreflight } from '../../http/cors.js';
import type { OwnHandler } from '../../in-process/fetch.js';
import { coreOf, type Simulator } from '../../simulator/simulator.js';
import { createExtension, type Extension, handlerFailed, sendError } from './extension.js';
import { unreachable } from './handler-matcher.js';

type Handlers = readonly OwnHandler[];

/** Source of the user's msw handlers: a list, or a function that creates the list for a simulator. */
export type HandlerSource = Handlers | ((sim: Simulator) => Handlers | Promise<Handlers>);

/** Returns the function that responds to a simulator's requests with the user's msw handlers. */
export type ExtensionOf = (sim: Simulator) => Extension;

/**
 * Creates the function that serves requests by the user's msw handlers. If `source` is a function, each simulator gets
 * separate handlers, and new ones after each reset.
 * @throws {UsageError} if http-middleware or msw 2 is not installed, {TypeError} for a value that is not a handler
 */
export async function createExtensions(sim: Simulator, source: HandlerSource): Promise<ExtensionOf> {
  let isChecked = false;
  const extend = async (each: Simulator) => {
    const handlers = typeof source === 'function' ? await source(each) : source;
    const extension = createExtension(each, handlers);
    const note = isChecked ? undefined : unreachable(handlers);
    if (note !== undefined) console.warn(note);
    isChecked = true;
    return extension;
  };
  const extensions = new WeakMap<Simulator, Extension>();
  const forgetAtReset = (each: Simulator) => {
    if (typeof source === 'function') coreOf(each).resetListeners.push(() => extensions.delete(each));
  };
  const known = new WeakSet([sim]);
  extensions.set(sim, await extend(sim));
  forgetAtReset(sim);
  return (each) => {
    let extension = extensions.get(each);
    if (extension === undefined) {
      if (!known.has(each)) forgetAtReset(each);
      known.add(each);
      extension = onceMade(extend(each).catch((error) => failing(each, error)));
      extensions.set(each, extension);
    }
    return extension;
  };
}

/** Serves requests by msw handlers that are still being created. Requests wait until the handlers are ready. */
function onceMade(making: Promise<Extension>): Extension {
  let made: Extension | undefined;
  making.then((extension) => {
    made = extension;
  });
  return (request, response, call, fallThrough) => {
    if (made !== undefined) return made(request, response, call, fallThrough);
    making.then((extension) => {
      if (!extension(request, response, call, fallThrough)) fallThrough();
    });
    return true;
  };
}

/**
 * Replaces a sandbox's msw handlers (the user's own operations) if their creation failed. Every request except CORS
 * preflights gets an error, because the paths that the handlers would serve are unknown.
 */
function failing(sim: Simulator, error: unknown): Extension {
  console.error(error);
  return (request, response, { report }) => {
    // Passes a CORS preflight request on to the simulated API instead of failing it. A web page can read the error
    // response to its actual request only after a successful preflight.
    if (isPreflight(request)) return false;
    report?.({ by: 'handler', sim, ...sendError(sim, request, response, handlerFailed) });
    return true;
  };
}
