// Loaded into a server by `node --import` for scripts/soak.mjs: says how much memory it holds, and how long its event loop stood still.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 5;
const kept = 5;
const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
histogram.enable();

/** The pauses with most work in them, in processor time: what else they lasted, the machine gave the core to another. */
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
  // Twice: what the first frees may have kept something else. What it takes is not the server's.
  for (let n = 0; n < 2; n++) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send({ ...answer, heapMb: toMb(heapUsed), externalMb: toMb(external), rssMb: toMb(rss) });
  lastMs = performance.now();
  lastCpu = process.cpuUsage();
  histogram.reset();
  pauses = [];
});
// It is there to be asked, and keeps nobody alive.
process.channel?.unref();

const toMb = (bytes) => Math.round(bytes / 1e5) / 10;
