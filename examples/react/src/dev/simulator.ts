import { setupWorker } from 'msw/browser';
import { createSimulator } from 'petstore-sim';
import { handlers } from 'petstore-sim/msw';
import { verdict } from 'petstore-sim/verdict';

/**
 * The service of `npm run dev`, in the page. In the browser's console: `sim.keys.setUsage('free-key', { minute: 60 })`, and
 * `verdict(sim)` for how the page behaved.
 */
export const sim = createSimulator();

export async function startSimulator(): Promise<void> {
  Object.assign(globalThis, { sim, verdict });
  await setupWorker(...handlers(sim)).start({ onUnhandledRequest: 'bypass', quiet: true });
}
