/**
 * Installs, starts, checks and stops each peer, and prints what it found: `node bench/check-peers.mjs [NAME...]`.
 * The exit code is 1 when one of them answers wrongly.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { check, footprint, install, peers, prepare } from './peers.mjs';

const names = process.argv.slice(2);
const port = 4610;

for (const peer of peers.filter(({ name }) => names.length === 0 || names.includes(name))) {
  await install(peer);
  const { command, args, env, cwd } = await prepare(peer, { port });
  // A group of its own, so that children of the peer are stopped, too.
  const child = spawn(command, args, { env, cwd, stdio: 'ignore', detached: true });
  const exited = once(child, 'exit');
  try {
    const url = `http://127.0.0.1:${port}`;
    await untilListening(url, child);
    const results = await check(peer, url);
    const { bytes, packages } = await footprint(peer);
    const works = results.map(({ work, problem }) => (problem ? `${work} WRONG: ${problem}` : `${work} ok`));
    console.log(`${peer.name}: ${works.join(', ')}; ${packages} packages, ${(bytes / 2 ** 20).toFixed(1)} MiB`);
    if (results.some(({ problem }) => problem)) process.exitCode = 1;
  } catch (error) {
    console.log(`${peer.name}: ${error.message}`);
    process.exitCode = 1;
  } finally {
    stopGroup(child, 'SIGTERM');
    const tooLong = setTimeout(() => stopGroup(child, 'SIGKILL'), 5000);
    await exited;
    clearTimeout(tooLong);
  }
}

function stopGroup(child, signal) {
  if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
}

async function untilListening(url, child) {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline && child.exitCode === null) {
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await pause(100);
  }
  throw new Error(
    child.exitCode === null ? 'expected an answer within 60 s' : `ended with exit code ${child.exitCode}`,
  );
}
