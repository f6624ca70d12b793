/** Caches a function's last result, for functions mostly called with the same argument. */
export function memoizeLast<Value, Result>(make: (value: Value) => Result): (value: Value) => Result {
  let last: { value: Value; result: Result } | undefined;
  return (value) => {
    if (last === undefined || value !== last.value) last = { value, result: make(value) };
    return last.result;
  };
}
