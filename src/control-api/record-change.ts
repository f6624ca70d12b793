import type { ControlChange } from '../simulator/control-change.js';
import { displayKey } from '../simulator/redact.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { isMap } from '../values/plain-data.js';
import type { AnyControlOperation, Caller } from './control-operation.js';
import { findKeyText } from './find-key-text.js';

/** Maximum number of control operations in a simulator's list of changes. */
const maximumChanges = 200;
/**
 * Maximum length of the texts about one control operation in a simulator's list of changes, in characters. The texts
 * are the operation's input and the name of its caller.
 */
const maximumCharacters = 80;

/**
 * Prepares an entry for the list of changes, which the dashboard shows. Returns `undefined` for an operation that
 * changes nothing.
 * @returns function to call after the change, which adds the entry to the list
 */
export function recordChange(
  { method, path, isQuiet, isRead }: AnyControlOperation,
  target: unknown,
  input: unknown,
  { name = 'this process' }: Caller,
): (() => void) | undefined {
  if (method === 'GET' || isQuiet || isRead || !isSimulator(target)) return undefined;
  const { clock, changes } = target;
  const beforeMs = clock.now();
  const { lastId } = coreOf(target).state.journal;
  return () => {
    changes.count++;
    const change: ControlChange = {
      number: changes.count,
      beforeMs,
      atMs: clock.now(),
      lastId,
      request: `${method} ${path}`,
      input: summarize(target, input),
      by: cut(name),
    };
    changes.last = [...changes.last.slice(1 - maximumChanges), change];
  };
}

const isSimulator = (target: unknown): target is Simulator => isMap(target) && 'changes' in target;

/** Summarizes the input of a control operation in a short text with masked API keys, such as `advance 61s`. */
function summarize(sim: Simulator, input: unknown): string {
  if (!isMap(input)) return '';
  const words = Object.entries(input).map(([field, value]) => {
    const shown = isMap(value) ? (value.name ?? '…') : field === 'key' ? showKey(sim, String(value)) : value;
    return `${field} ${Array.isArray(shown) ? '…' : String(shown)}`;
  });
  return cut(words.slice(0, 8).join(', '));
}

/**
 * Formats an API key, given as the key itself or as its id, for display. Masks every key that the scenario does not
 * define.
 */
const showKey = (sim: Simulator, reference: string) => displayKey(sim, findKeyText(sim, reference) ?? reference);

const cut = (text: string) =>
  text.length > maximumCharacters ? `${text.slice(0, maximumCharacters).toWellFormed()}…` : text;
