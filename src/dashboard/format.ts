/** `12:00:31.2`: the clock of the simulator is shown in UTC, as its answers are. */
export const clockTime = (ms: number) => new Date(ms).toISOString().slice(11, 21);

/** `12:00:31`. */
export const clockSeconds = (ms: number) => new Date(ms).toISOString().slice(11, 19);

export const whole = (value: number) => value.toLocaleString('en');

/** `1 request`, `3 requests`. */
export const counted = (value: number, noun: string) => `${whole(value)} ${noun}${value === 1 ? '' : 's'}`;

/** `GET /pets?limit=3`. */
export const target = ({ path, query }: { path: string; query: string }) => `${path}${query && `?${query}`}`;
