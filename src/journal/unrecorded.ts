import type { KeyedCall } from '../values/key-place.js';

/** Equal requests to a path outside the API, counted together. The journal does not contain these requests. */
export interface UnrecordedRequests {
  readonly why: 'outside';
  readonly method: string;
  /**
   * Path of the request, without the query. `…` if the maximum number of separate counts is reached: then all requests
   * to further paths have one common count.
   */
  readonly path: string;
  readonly status: number;
  /**
   * Base path of the API, `/v1` or `/s/NAME/v1`, for a message. A request to a path outside this base path is not
   * recorded in the journal.
   */
  readonly api: string;
  readonly count: number;
}

type Common = Omit<UnrecordedRequests, 'count'>;

/**
 * Maximum number of groups in which a simulator counts requests outside the API, which have no journal record. A group
 * has one method, path and key. Further requests form one common group.
 */
const maximumGroups = 50;
const maximumCharacters = 200;
const otherPaths = '…';

/** Cuts a long path at a slash. A cut in the middle of an API key would leave a part that cannot be masked. */
const cut = (path: string) =>
  path.length > maximumCharacters ? `${path.slice(0, path.lastIndexOf('/', maximumCharacters))}/${otherPaths}` : path;

/**
 * Counts of requests without a journal record, since the simulator's start, its last reset or the last clearing of its
 * journal.
 */
export class UnrecordedCounter {
  /** Counts by method, path and API key. */
  readonly groups = new Map<string, Common & { count: number; token: string | undefined }>();
  /** Number of requests to paths outside the API, which the journal does not record. */
  total = 0;
  /** Returns the API key of a request. Set by the simulator, whose scenario names the place of keys. */
  tokenOf: (call: KeyedCall) => string | undefined = () => undefined;

  /**
   * Records a request to a path outside the API, which got a 404.
   * @param call the request's headers and query, because a verdict can be limited to one API key
   */
  recordOutside(method: string, path: string, api: string, call: KeyedCall): void {
    this.total++;
    const token = this.tokenOf(call);
    const group = { why: 'outside', method, path: cut(path), status: 404, api, token } as const;
    const id = [method, group.path, token].join('\n');
    if (this.groups.has(id) || this.groups.size < maximumGroups) this.#count(id, group);
    // Counts the request in the common group `…`, because the maximum number of groups (with one method, path and API
    // key each) is reached.
    else this.#count(otherPaths, { ...group, method: '', path: otherPaths, token: undefined });
  }

  #count(id: string, group: Common & { token: string | undefined }): void {
    const known = this.groups.get(id);
    if (known !== undefined) known.count++;
    else this.groups.set(id, { ...group, count: 1 });
  }

  clear(): void {
    this.groups.clear();
    this.total = 0;
  }
}

/**
 * Lists the counted requests to paths outside the API, grouped by method and path. A function, because a web page would
 * also load an unused method.
 * @param isWanted selects requests by their API key; default: all
 */
export function listUnrecorded(
  { groups }: Pick<UnrecordedCounter, 'groups'>,
  isWanted: (request: { token: string | undefined }) => boolean = () => true,
): UnrecordedRequests[] {
  const merged = new Map<string, Common & { count: number }>();
  for (const { token, ...group } of groups.values()) {
    if (!isWanted({ token })) continue;
    const id = [group.method, group.path].join('\n');
    const same = merged.get(id);
    if (same === undefined) merged.set(id, group);
    else same.count += group.count;
  }
  return [...merged.values()];
}
