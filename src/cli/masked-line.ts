import { createRedactor, displayKey } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';
import { maskedSecret } from '../values/mask-key.js';
import { shellWords } from './shell-words.js';

/**
 * Matches secrets in a command line that are no API keys of the simulator: values after words such as `token`,
 * `password` or `Bearer`.
 */
const secretValues = /((?:bearer|key|token|secret|password)['"]?[\s=:]+['"]?)([^\s'"]{8,})/gi;

/** Formats a command for a shared report: quoted for a shell, with its API keys and other secrets masked. */
export function maskedLine(sim: Simulator, command: readonly string[]): string {
  const line = createRedactor(sim)(command)(shellWords(command));
  const isPublic = (text: string) => displayKey(sim, text) === text || text.startsWith('…');
  const masked = line.replace(secretValues, (all, name: string, value: string) =>
    isPublic(value) ? all : `${name}${maskedSecret(value)}`,
  );
  return masked.length > maximumCharacters ? `${masked.slice(0, maximumCharacters)}…` : masked;
}

/** Maximum length of a command line in a report, in characters. */
const maximumCharacters = 500;
