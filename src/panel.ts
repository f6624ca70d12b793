import { requestControl } from './control-api/request-control.js';
import { createPanel } from './dashboard/panel.js';
import type { Simulator } from './simulator/simulator.js';

// A separate entry, so that only a page that imports it downloads it.

/**
 * Shows what a simulator in this page does: a button in the corner opens a drawer with its keys, requests and verdict, and
 * with its clock, scenarios and faults to change. For pages under development, beside the handlers of `petstore-sim/msw`.
 * @returns a function that takes the panel away
 * @example
 * const sim = createSimulator();
 * await setupWorker(...handlers(sim)).start();
 * mountPanel(sim);
 */
export function mountPanel(sim: Simulator): () => void {
  return createPanel((request, signal) => requestControl(sim, request, { signal, name: 'page' }));
}
