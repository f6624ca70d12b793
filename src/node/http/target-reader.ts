/** Path and query of a request, relative to the base path of the API. */
interface Target {
  readonly text: string;
  readonly path: string;
  readonly query: string;
}

/**
 * Creates a parser of request targets that caches the last target, because clients repeat targets.
 * @returns function that parses a target from the index `start` on
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
