import { afterAll, afterEach, expect, vi } from 'vitest';
import { endFile } from './at-end.js';
import { cli } from './command-line.js';

// Setup file of every test file. A worker runs several files, so none may leave anything for the next.

// Messages name the command that started the program.
process.argv[1] = cli;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
const stateOfProcess = () => ({
  folder: process.cwd(),
  environment: { ...process.env },
  listeners: signals.map((signal) => process.listenerCount(signal)),
});
const before = stateOfProcess();
const exitListeners = process.listeners('exit');

// A command ends its process, and so removes nothing that acts at its exit.
afterEach(() => {
  for (const listener of process.listeners('exit'))
    if (!exitListeners.includes(listener)) process.off('exit', listener);
});

afterAll(async () => {
  await endFile();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  expect(stateOfProcess()).toEqual(before);
});
