// Preloaded into a program by `node --import`, replaces each wait of 20 s or more by one second, and advances the clocks
// of the program and the simulator by the rest.
import { subscribe } from 'node:diagnostics_channel';

const { setTimeout: startTimer } = globalThis;
const { now } = Date;
const [longMs, realMs] = [20_000, 1_000];
let skippedMs = 0;
let requests = 0;

subscribe('undici:request:create', () => requests++);
Date.now = () => now() + skippedMs;
globalThis.setTimeout = (callback, ms, ...args) => {
  if (!(ms >= longMs)) return startTimer(callback, ms, ...args);
  const before = requests;
  const skip = async () => {
    // A timer that starts before a request is the request's timeout.
    if (requests > before) return;
    const restMs = Math.floor(ms) - realMs;
    await fetch(`${process.env.PETSTORE_SIM_URL}/clock`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ advance: `${restMs}ms` }),
    });
    skippedMs += restMs;
    callback(...args);
  };
  return startTimer(skip, realMs);
};
