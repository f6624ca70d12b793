/** Entries of a Redis stream, as in a reply of the store. */
export type StreamEntries = [id: string, fields: string[]][];
