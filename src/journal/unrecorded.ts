/** A group of equal requests to paths outside the API, which the journal does not contain. */
export interface UnrecordedRequests {
  readonly why: 'outside';
  readonly method: string;
  /** Path without the query. `…` if the limit on groups was reached. */
  readonly path: string;
  readonly status: number;
  /** Base path of the API that the request missed: `/v1` or `/s/NAME/v1`. */
  readonly api: string;
  readonly count: number;
}

type Common = Omit<UnrecordedRequests, 'count'>;

/** Maximum number of groups per simulator. Further requests share one group. */
const mostGroups = 50;
const mostCharacters = 200;
const otherPaths = '…';

/** Cuts a long path at a slash, because a cut key could not be masked. */
const cut = (path: string) =>
  path.length > mostCharacters ? `${path.slice(0, path.lastIndexOf('/', mostCharacters))}/${otherPaths}` : path;

/** Unrecorded requests of one simulator since its start, its last reset or the last clearing of its journal. */
export class Unrecorded {
  readonly #groups = new Map<string, Common & { count: number; token: string | undefined }>();
  /** Number of unrecorded requests. */
  count = 0;

  /**
   * Records a request to a path outside the API, which got a 404.
   * @param authorization header of the request, for verdicts on a single key
   */
  recordOutside(method: string, path: string, api: string, authorization?: string | null): void {
    this.count++;
    const token = authorization?.slice(authorization.lastIndexOf(' ') + 1);
    const group = { why: 'outside', method, path: cut(path), status: 404, api } as const;
    const id = [method, group.path, token].join('\n');
    const known = this.#groups.get(id);
    if (known !== undefined) known.count++;
    else if (this.#groups.size < mostGroups) this.#groups.set(id, { ...group, token, count: 1 });
    else this.#recordOther(api);
  }

  /** @param isWanted selects requests by token; default: all */
  list(isWanted: (request: { token: string | undefined }) => boolean = () => true): UnrecordedRequests[] {
    const merged = new Map<string, Common & { count: number }>();
    for (const { token, ...group } of this.#groups.values()) {
      if (!isWanted({ token })) continue;
      const id = [group.method, group.path].join('\n');
      const same = merged.get(id);
      if (same === undefined) merged.set(id, group);
      else same.count += group.count;
    }
    return [...merged.values()];
  }

  clear(): void {
    this.#groups.clear();
    this.count = 0;
  }

  /** Counts a request in the group of all paths beyond the limit on groups. */
  #recordOther(api: string): void {
    const other = this.#groups.get(otherPaths);
    if (other !== undefined) other.count++;
    else
      this.#groups.set(otherPaths, {
        why: 'outside',
        method: '',
        path: otherPaths,
        status: 404,
        api,
        token: undefined,
        count: 1,
      });
  }
}
