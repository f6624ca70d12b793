import { findCommand } from './programs.js';

/** Path of the system's Chromium; empty without one, where the tag `needs/chromium` skips the tests that start it. */
export const chromiumPath = findCommand('chromium') ?? '';

/** Arguments for a headless Chromium that runs as root and connects to nothing by itself. */
export const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
