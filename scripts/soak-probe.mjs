// Loaded into a server by `node --import`, for scripts/soak.mjs: reports its memory and the pauses of its event loop.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 5;
const kept = 5;
const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
histogram.enable();

/**
 * Longest pauses by processor time; the rest of a pause is time in which the machine gave the core to another process.
 */
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

process.on('message', (question) => {
  const answer = {
    question,
    longestPauseMs: Math.max(0, Math.round(histogram.max / 1e6 - resolutionMs)),
    p99PauseMs: Math.max(0, Math.round(histogram.percentile(99) / 1e6 - resolutionMs)),
    pauses,
  };
  // Twice, because the first collection may release objects that retain others. Its own time is excluded.
  for (let n = 0; n < 2; n++) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send({ ...answer, heapMb: toMb(heapUsed), externalMb: toMb(external), rssMb: toMb(rss) });
  lastMs = performance.now();
  lastCpu = process.cpuUsage();
  histogram.reset();
  pauses = [];
});
// The channel must not keep the process alive.
process.channel?.unref();

const toMb = (bytes) => Math.round(bytes / 1e5) / 10;
