/** Path and query of a request, relative to the base path of the API. */
interface Target {
  readonly text: string;
  readonly path: string;
  readonly query: string;
}

/** Parses a request target, such as `/v1/pets?limit=20`, from the index `start` on. */
export function readTarget(url = '', start = 0): Target {
  const text = url.slice(start);
  const mark = text.indexOf('?');
  return { text, path: mark < 0 ? text : text.slice(0, mark), query: mark < 0 ? '' : text.slice(mark + 1) };
}
