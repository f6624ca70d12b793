import type { OwnHandler } from '../../in-process/fetch.js';
import { coreOf, type Simulator } from '../../simulator/simulator.js';
import { isPreflight } from '../http/cors.js';
import { createExtension, type Extension, handlerFailed, sendError } from './extension.js';

type Handlers = readonly OwnHandler[];

/** Handlers, or a function that creates handlers for the server's simulator or for a sandbox. */
export type HandlerSource = Handlers | ((sim: Simulator) => Handlers | Promise<Handlers>);

/** Returns the extension that takes precedence over the API of a simulator. */
export type ExtensionOf = (sim: Simulator) => Extension;

/**
 * Creates an extension for each simulator of a server; for a sandbox, at the first request.
 * A function as `source` creates separate handlers for each simulator, which use the pets and keys of that simulator.
 * Each reset creates these handlers again, so that the handlers' data starts anew.
 * @throws {UsageError} if http-middleware or msw 2 is not installed, {TypeError} for a value that is not a handler
 */
export async function createExtensions(sim: Simulator, source: HandlerSource): Promise<ExtensionOf> {
  const extend = async (each: Simulator) =>
    createExtension(each, typeof source === 'function' ? await source(each) : source);
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

/** Creates an extension whose requests wait until the handlers are ready. */
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
 * Extension of a sandbox whose handlers could not be created. Fails every request, because the handlers' paths are
 * unknown.
 */
function failing(sim: Simulator, error: unknown): Extension {
  console.error(error);
  return (request, response, { report }) => {
    // A page can read the error only after a successful preflight.
    if (isPreflight(request)) return false;
    report?.({ by: 'handler', sim, ...sendError(sim, request, response, handlerFailed) });
    return true;
  };
}
