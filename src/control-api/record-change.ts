import type { ControlChange } from '../simulator/control-change.js';
import { displayKey } from '../simulator/redact.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { isMap } from '../values/plain-data.js';
import type { AnyControlOperation, Caller } from './control-operation.js';

/** Number of changes that a simulator remembers. */
const mostChanges = 200;
/** Length limit of an input's summary and of a caller's name, in characters. */
const mostCharacters = 80;

/**
 * Starts the record of a change to a simulator; returns `undefined` for an operation that changes nothing.
 * @returns function that completes the record after the change
 */
export function recordChange(
  { method, path, isQuiet }: AnyControlOperation,
  target: unknown,
  input: unknown,
  { name = 'this process' }: Caller,
): (() => void) | undefined {
  if (method === 'GET' || isQuiet || !isSimulator(target)) return undefined;
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
    changes.last = [...changes.last.slice(1 - mostChanges), change];
  };
}

const isSimulator = (target: unknown): target is Simulator => isMap(target) && 'changes' in target;

/** Summary of an input, `advance 61s`: fields with their values, maps by their name, keys masked. */
function summarize(sim: Simulator, input: unknown): string {
  if (!isMap(input)) return '';
  const words = Object.entries(input).map(([field, value]) => {
    const shown = isMap(value) ? (value.name ?? '…') : field === 'key' ? showKey(sim, String(value)) : value;
    return `${field} ${Array.isArray(shown) ? '…' : String(shown)}`;
  });
  return cut(words.slice(0, 8).join(', '));
}

/** Displays a key, given as the key itself or as its id. */
const showKey = (sim: Simulator, reference: string) =>
  displayKey(sim, coreOf(sim).state.keys.textOf(reference) ?? reference);

const cut = (text: string) =>
  text.length > mostCharacters ? `${text.slice(0, mostCharacters).toWellFormed()}…` : text;
