/** A request target below the base of its API. */
interface Target {
  readonly text: string;
  readonly path: string;
  readonly query: string;
}

/**
 * Makes a reader of targets that remembers the last one: clients ask for the same again and again, and equal texts are soonest
 * seen to be equal where they are one.
 * @returns reads what stands in a target from `start` on
 */
export function createTargetReader(): (url: string, start: number) => Target {
  let last: Target = { text: '', path: '', query: '' };
  return (url, start) => {
    if (url.length !== start + last.text.length || !url.startsWith(last.text, start)) {
      const text = url.slice(start);
      const mark = text.indexOf('?');
      last = { text, path: mark < 0 ? text : text.slice(0, mark), query: mark < 0 ? '' : text.slice(mark + 1) };
    }
    return last;
  };
}

export type TargetReader = ReturnType<typeof createTargetReader>;
