/** Entries of a stream as the store gives them. */
export type StreamEntries = [id: string, fields: string[]][];
