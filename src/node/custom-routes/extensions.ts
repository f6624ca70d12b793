import { coreOf, type Simulator } from '../../simulator/simulator.js';
import { isPreflight } from '../http/cors.js';
import { createExtension, type Extension, type ExtensionHandler, handlerFailed, sendError } from './extension.js';

type Handlers = readonly ExtensionHandler[];

/** Handlers, or what makes them for a simulator: the server's own, or that of a sandbox. */
export type HandlerSource = Handlers | ((sim: Simulator) => Handlers | Promise<Handlers>);

/** What answers before the API of a simulator. */
export type ExtensionOf = (sim: Simulator) => Extension;

/**
 * The extension of each simulator of a server. A sandbox has handlers of its own, made at its first request, so that they
 * change its pets and count for its keys. A function makes them again after each reset, so that their data begins anew.
 * @throws {UsageError} when http-middleware or msw 2 is not installed, {TypeError} for what is no handler
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

/** Until it is made, requests wait. */
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

/** Of a sandbox whose handlers could not be made: nobody knows which requests they were for. */
function failing(sim: Simulator, error: unknown): Extension {
  console.error(error);
  return (request, response, { report }) => {
    // A page sees the answer only after a preflight that lets it.
    if (isPreflight(request)) return false;
    report?.({ by: 'handler', sim, ...sendError(sim, request, response, handlerFailed) });
    return true;
  };
}
