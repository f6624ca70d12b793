import { type StopSignal, stopSignals } from '../judge/command-end.js';

/**
 * Calls a function at every signal that stops petstore-sim.
 * @returns a function that removes the listeners
 */
export function onStopSignal(stop: (signal: StopSignal) => void): () => void {
  const signals = Object.keys(stopSignals) as StopSignal[];
  for (const signal of signals) process.on(signal, stop);
  return () => {
    for (const signal of signals) process.off(signal, stop);
  };
}
