/** Entries of a stream in a reply of the store. */
export type StreamEntries = [id: string, fields: string[]][];
