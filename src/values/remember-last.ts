/** The same function, which remembers its last result: for what is mostly asked for the same value again. */
export function rememberLast<Value, Result>(make: (value: Value) => Result): (value: Value) => Result {
  let last: { value: Value; result: Result } | undefined;
  return (value) => {
    if (last === undefined || value !== last.value) last = { value, result: make(value) };
    return last.result;
  };
}
