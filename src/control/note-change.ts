import { displayKey } from '../simulator/redact.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import type { ControlChange } from '../state/control-change.js';
import { isMap } from '../values/plain-data.js';
import type { AnyControlOperation, Caller } from './control-operation.js';

/** So many changes are remembered. */
const mostChanges = 200;
/** Characters that are kept of the input, and of the name of a caller. */
const mostCharacters = 80;

/**
 * Begins to note a change of a simulator; `undefined` for an operation that changes none. The function it gives notes the
 * change, once it is done.
 */
export function noteChange(
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
      input: inShort(target, input),
      by: cut(name),
    };
    changes.last = [...changes.last.slice(1 - mostChanges), change];
  };
}

const isSimulator = (target: unknown): target is Simulator => isMap(target) && 'changes' in target;

/** `advance 61s`: the fields with their values; of a map its name, of a key what may be shown of it. */
function inShort(sim: Simulator, input: unknown): string {
  if (!isMap(input)) return '';
  const words = Object.entries(input).map(([field, value]) => {
    const shown = isMap(value) ? (value.name ?? '…') : field === 'key' ? showKey(sim, String(value)) : value;
    return `${field} ${Array.isArray(shown) ? '…' : String(shown)}`;
  });
  return cut(words.slice(0, 8).join(', '));
}

/** A key by itself or by its id. */
const showKey = (sim: Simulator, reference: string) =>
  displayKey(sim, coreOf(sim).state.keys.textOf(reference) ?? reference);

const cut = (text: string) =>
  text.length > mostCharacters ? `${text.slice(0, mostCharacters).toWellFormed()}…` : text;
