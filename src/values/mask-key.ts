/** Keys are secrets: the last four characters, of a short one fewer. */
export const maskedKey = (key: string) => `…${key.slice(Math.max(key.length - 4, Math.ceil(key.length / 3)))}`;
