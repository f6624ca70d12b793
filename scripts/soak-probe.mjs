// Module for scripts/soak.mjs that is loaded into a server (`node --import`). Reports the server's memory and the
// pauses of its event loop.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 5;
const kept = 5;
const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
histogram.enable();

/** Longest pauses of the event loop, by processor time. Elapsed time would include other processes on the same core. */
let pauses = [];
let lastMs = performance.now();
let lastCpu = process.cpuUsage();
setInterval(() => {
  const nowMs = performance.now();
  const cpu = process.cpuUsage();
  const pauseMs = nowMs - lastMs - resolutionMs;
  if (pauseMs > 20) {
    const cpuMs = (cpu.user + cpu.system - lastCpu.user - lastCpu.system) / 1000;
    pauses.push({ atSeconds: Math.round(nowMs / 1000), pauseMs: Math.round(pauseMs), cpuMs: Math.round(cpuMs) });
    pauses = pauses.sort((a, b) => b.cpuMs - a.cpuMs).slice(0, kept);
  }
  lastMs = nowMs;
  lastCpu = cpu;
}, resolutionMs).unref();

process.on('message', () => {
  const answer = {
    longestPauseMs: Math.max(0, Math.round(histogram.max / 1e6 - resolutionMs)),
    p99PauseMs: Math.max(0, Math.round(histogram.percentile(99) / 1e6 - resolutionMs)),
    pauses,
  };
  // Collects garbage twice, because the first collection may release objects that hold others. Its own duration does
  // not count as a pause.
  for (let n = 0; n < 2; n++) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send({ ...answer, heapMb: toMb(heapUsed), externalMb: toMb(external), rssMb: toMb(rss) });
  lastMs = performance.now();
  lastCpu = process.cpuUsage();
  histogram.reset();
  pauses = [];
});
// Lets the process exit although the channel to its parent is open.
process.channel?.unref();

const toMb = (bytes) => Math.round(bytes / 1e5) / 10;
