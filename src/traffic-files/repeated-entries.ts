import { fingerprint } from '../values/fingerprint.js';
import type { RecordedEntry } from './recorded-entry.js';
import { readSimulatorFields } from './simulator-fields.js';

const forms = ['har-entry', 'object'] as const;
/** Format of a recorded request: an entry of an HTTP Archive (HAR), or a JSON object of a JSON Lines file. */
type Form = (typeof forms)[number];

/**
 * Detects entries that an earlier file already contained, such as a shorter export of the same run. Equal entries
 * within one file are separate requests. An entry without a time never counts as repeated.
 */
export class RepeatedEntries {
  readonly #before = new Map<string, number>();
  #inFile = new Map<string, number>();

  /**
   * Whether an earlier recording file contained an entry of the current file. If a file contains equal entries, the
   * n-th of them is a repetition only if an earlier file contained n of them.
   */
  isRepeated(entry: RecordedEntry, form: Form): boolean {
    if (!Number.isFinite(entry.record.arrivedAtMs)) return false;
    const [exact, alike] = [exactHash(entry), alikeHash(entry)];
    const exactCount = this.#count(form + exact);
    const alikeCount = this.#count(form + alike);
    // Entries in HAR and in JSON Lines form count as equal if time, method, URL, status and id are equal, because the
    // headers and timings of the two forms differ.
    const [otherForm] = forms.filter((each) => each !== form);
    return (
      exactCount <= (this.#before.get(form + exact) ?? 0) || alikeCount <= (this.#before.get(otherForm + alike) ?? 0)
    );
  }

  #count(name: string): number {
    const count = (this.#inFile.get(name) ?? 0) + 1;
    this.#inFile.set(name, count);
    return count;
  }

  endFile(): void {
    for (const [entry, count] of this.#inFile) {
      this.#before.set(entry, Math.max(count, this.#before.get(entry) ?? 0));
    }
    this.#inFile = new Map();
  }
}

/**
 * Hashes all fields of a recorded request and its response, to find the same request in several recordings. The hash is
 * stored instead of the fields, which are long and contain the API key.
 */
function exactHash({ record, url, requestHeaders, requestBody, connection, own }: RecordedEntry) {
  const { arrivedAtMs, answeredAtMs, method, status } = record;
  const all = [arrivedAtMs, answeredAtMs, method, url, status, requestHeaders, requestBody, connection, own?.id];
  return `=${fingerprint(JSON.stringify(all))}`;
}

/** Hash of the fields that HAR and JSON Lines record equally. Finds an entry that both files contain. */
function alikeHash({ record: { arrivedAtMs, method, status }, url, own }: RecordedEntry) {
  const id = own && readSimulatorFields(own, arrivedAtMs)?.id;
  return `~${fingerprint(JSON.stringify([Math.floor(arrivedAtMs), method, url, status, id]))}`;
}
