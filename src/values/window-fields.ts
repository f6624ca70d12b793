/**
 * Rate-limit windows that the API's documentation names, shortest first, with their lengths in seconds. The
 * documentation limits "Requests per minute" and "Requests per day".
 */
export const documentedWindows = { minute: 60, day: 86_400 } as const;
export type DocumentedWindow = keyof typeof documentedWindows;

/** Names of the documented windows, shortest first. */
export const documentedNames = Object.keys(documentedWindows) as [DocumentedWindow, ...DocumentedWindow[]];

/** Whether the API's documentation names a window. A scenario can add others. */
export const isDocumented = (name: string): name is DocumentedWindow => Object.hasOwn(documentedWindows, name);

/** Creates an object with a value for each documented window. */
export const forDocumented = <Value>(create: (name: DocumentedWindow) => Value) =>
  Object.fromEntries(documentedNames.map((name) => [name, create(name)])) as Record<DocumentedWindow, Value>;

/**
 * Values of a key's rate-limit windows in an exported form: the documented windows as separate fields, others in
 * `windows`. A window that the key's plan does not limit is absent.
 */
export interface WindowFields<Value> extends Partial<Record<DocumentedWindow, Value | undefined>> {
  windows?: Readonly<Record<string, Value>> | undefined;
}

/** Writes the values of windows as fields. */
export function toWindowFields<Value>(values: Iterable<readonly [name: string, value: Value]>): WindowFields<Value> {
  const windows: Record<string, Value> = Object.fromEntries(values);
  const fields: WindowFields<Value> = {};
  for (const name of documentedNames) {
    if (windows[name] !== undefined) fields[name] = windows[name];
    delete windows[name];
  }
  if (Object.keys(windows).length > 0) fields.windows = windows;
  return fields;
}

/**
 * Lists the values of windows that `toWindowFields` wrote, each with its name: the documented windows first. A state
 * of an earlier version can have a window in `windows` that the documentation did not name then.
 */
export function windowsOf<Value>(fields: WindowFields<Value>): [name: string, value: Value][] {
  const { windows = {} } = fields;
  const documented = documentedNames.flatMap((name): [string, Value][] => {
    const value = fields[name] ?? windows[name];
    return value === undefined ? [] : [[name, value]];
  });
  return [...documented, ...Object.entries(windows).filter(([name]) => !isDocumented(name))];
}

/** Path of a window's value in the fields that `toWindowFields` wrote. */
export const windowSteps = (name: string): string[] => (isDocumented(name) ? [name] : ['windows', name]);
