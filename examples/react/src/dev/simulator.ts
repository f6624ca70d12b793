import { setupWorker } from 'msw/browser';
import { createSimulator } from 'petstore-sim';
import { handlers } from 'petstore-sim/msw';
import { judge } from 'petstore-sim/verdict';

/**
 * Simulator for `npm run dev`, which runs in the page. In the browser's console, try `sim.keys.setUsage('free-key', {
 * minute: 60 })`, and `judge(sim)` for a verdict on the page.
 */
export const sim = createSimulator();

export async function startSimulator(): Promise<void> {
  Object.assign(globalThis, { sim, judge });
  await setupWorker(...handlers(sim)).start({ onUnhandledRequest: 'bypass', quiet: true });
}
