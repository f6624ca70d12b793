import type { Control, ServerControl } from '../control-api/control.js';
import { type ControlOptions, createControlOf } from '../control-api/create-control.js';
import type { Simulator } from '../simulator/simulator.js';
import { servedPetstore } from './served-petstore.js';

/**
 * Creates the control operations on a simulator in this process, the same as `/__sim` over HTTP. Each function has one object
 * as its input and throws a `ControlError` with status, code and message.
 * @example createControl(sim).exhaustKey({ key: 'free-key' });
 */
export function createControl(sim: Simulator): Control;
/**
 * Creates the control operations on a server in another process, with its sandboxes. Every function returns a promise.
 * @param url the `controlUrl` or the `baseUrl` of a server or of a sandbox, or the origin of a server
 * @throws {TypeError} if `url` is not an absolute http or https URL
 * @example const control = createControl('http://127.0.0.1:4010/__sim');
 * await control.changeClock({ advance: '61s' });
 * await control.sandbox('mine').getVerdict();
 */
export function createControl(url: string | URL, options?: ControlOptions): ServerControl;
export function createControl(of: Simulator | string | URL, options?: ControlOptions): Control | ServerControl {
  return createControlOf(servedPetstore, of, options);
}
