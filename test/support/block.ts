/** Blocks this process, as a machine under load does, without taking processor time from other tests. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
