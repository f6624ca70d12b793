import { readFileSync } from 'node:fs';
import { UsageError } from '../validation/usage-error.js';
import { variableName } from '../values/mask-key.js';

/**
 * Reads the value of `--control-token`: the token itself, `@FILE` or `env:NAME`. Process lists show the command line,
 * but neither a file nor the environment.
 * @throws {UsageError} for a missing variable, and for an unreadable or empty file
 */
export function readControlToken(given: string | undefined, environment = process.env): string | undefined {
  if (given?.startsWith('@')) return readTokenFile(given.slice(1));
  if (!given?.startsWith('env:')) return given;
  const name = given.slice('env:'.length);
  const token = environment[name];
  if (token) return token;
  throw new UsageError(`expected a control token in the environment variable ${variableName(name)}, got none`);
}

function readTokenFile(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`expected --control-token @FILE to name a readable file: ${(error as Error).message}`);
  }
  const token = text.trim();
  if (token !== '') return token;
  throw new UsageError(`expected a control token in ${file}, got an empty file`);
}
