/** Requests to addresses outside of the API, which the journal does not contain, counted by what they have in common. */
export interface UnrecordedRequests {
  readonly why: 'outside';
  readonly method: string;
  /** As it was sent, without the query; `…` for all addresses past the first ones. */
  readonly path: string;
  readonly status: number;
  /** What every address of the API that it missed begins with: `/v1`, `/s/NAME/v1`. */
  readonly api: string;
  readonly count: number;
}

type Common = Omit<UnrecordedRequests, 'count'>;

/** Groups of one simulator; more are counted together. */
const mostGroups = 50;
const mostCharacters = 200;
const otherPaths = '…';

/** A path with whole segments only, because half a key could not be masked. */
const cut = (path: string) =>
  path.length > mostCharacters ? `${path.slice(0, path.lastIndexOf('/', mostCharacters))}/${otherPaths}` : path;

/** The unrecorded requests of one simulator since its start, its last reset or the last clearing of its journal. */
export class Unrecorded {
  readonly #groups = new Map<string, Common & { count: number; token: string | undefined }>();
  /** How many there are. */
  count = 0;

  #record(request: Common, authorization?: string | null): void {
    this.count++;
    const { why, method, status } = request;
    const path = cut(request.path);
    const token = authorization?.slice(authorization.lastIndexOf(' ') + 1);
    const id = [why, method, path, status, token].join('\n');
    const known = this.#groups.get(id);
    if (known !== undefined) known.count++;
    else if (this.#groups.size < mostGroups) this.#groups.set(id, { ...request, path, token, count: 1 });
    else this.#recordOther(request);
  }

  /**
   * Records a request to an address that is none of the API's, which got a 404.
   * @param authorization the header of the request, so that a verdict on one key can leave the others out
   */
  recordOutside(method: string, path: string, api: string, authorization?: string | null): void {
    this.#record({ why: 'outside', method, path, status: 404, api }, authorization);
  }

  /** @param isWanted takes requests by their token; default: all */
  list(isWanted: (request: { token: string | undefined }) => boolean = () => true): UnrecordedRequests[] {
    const merged = new Map<string, Common & { count: number }>();
    for (const { token, ...group } of this.#groups.values()) {
      if (!isWanted({ token })) continue;
      const id = [group.why, group.method, group.path, group.status].join('\n');
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

  #recordOther({ why, status, api }: Common): void {
    const other = this.#groups.get(why);
    if (other !== undefined) other.count++;
    else this.#groups.set(why, { why, method: '', path: otherPaths, status, api, token: undefined, count: 1 });
  }
}
