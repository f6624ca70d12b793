/**
 * Values of a key's rate-limit windows in an exported form: the documented windows as separate fields, others in
 * `windows`. A window that the key's plan does not limit is absent.
 */
export interface WindowFields<Value> {
  minute?: Value | undefined;
  day?: Value | undefined;
  windows?: Readonly<Record<string, Value>> | undefined;
}

/** Writes the values of windows as fields. */
export function toWindowFields<Value>(values: Iterable<readonly [name: string, value: Value]>): WindowFields<Value> {
  const { minute, day, ...windows } = Object.fromEntries(values);
  return {
    ...(minute !== undefined && { minute }),
    ...(day !== undefined && { day }),
    ...(Object.keys(windows).length > 0 && { windows }),
  };
}

/** Lists the values of windows that `toWindowFields` wrote, each with its name, in the same order. */
export const windowsOf = <Value>({ minute, day, windows = {} }: WindowFields<Value>): [name: string, value: Value][] =>
  Object.entries({ ...(minute !== undefined && { minute }), ...(day !== undefined && { day }), ...windows });

/** Path of a window's value in the fields that `toWindowFields` wrote. */
export const windowSteps = (name: string): string[] =>
  name === 'minute' || name === 'day' ? [name] : ['windows', name];
