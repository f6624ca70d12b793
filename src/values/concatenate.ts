/**
 * Joins chunks of bytes.
 * @param bytes length of all chunks together
 */
export function concatenate([first = new Uint8Array(), ...more]: Uint8Array[], bytes: number): Uint8Array {
  if (more.length === 0) return first;
  const whole = new Uint8Array(bytes);
  let index = 0;
  for (const chunk of [first, ...more]) {
    whole.set(chunk, index);
    index += chunk.length;
  }
  return whole;
}
