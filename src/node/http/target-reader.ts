/** Request target without the base path of its API. */
interface Target {
  readonly text: string;
  readonly path: string;
  readonly query: string;
}

/**
 * Creates a parser of request targets with a cache of the last one. Clients repeat targets, and comparing the same string
 * object is fastest.
 * @returns function that parses a target from `start` on
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
