import '../petstore/types.js';
import { requestControl } from '../control-api/request-control.js';
import { createPanel } from '../dashboard/panel.js';
import { servedPetstore } from '../petstore/served-petstore.js';
import type { Simulator } from '../simulator/simulator.js';

// The panel (`mountPanel`), which shows a simulator inside a page, is a separate entry point of the package. Pages
// without the panel do not download its code.

/**
 * Mounts a panel that shows the simulator in this page. A button opens a drawer with keys, requests and verdict, and
 * controls for clock, scenarios and faults. For development, in pages that use the handlers of `petstore-sim/msw`.
 * @returns a function that removes the panel
 * @example
 * const sim = createSimulator();
 * await setupWorker(...handlers(sim)).start();
 * mountPanel(sim);
 */
export function mountPanel(sim: Simulator): () => void {
  return createPanel((request, signal) =>
    requestControl(servedPetstore.operations, sim, request, { signal, name: 'page' }),
  );
}
