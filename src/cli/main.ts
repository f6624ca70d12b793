#!/usr/bin/env node
import { reportOutputErrors } from './output-errors.js';
import { runCommandLine } from './run-command-line.js';

reportOutputErrors();
runCommandLine(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
