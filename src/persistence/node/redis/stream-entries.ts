/** Entries of a Redis stream, in the format in which Redis returns them. */
export type StreamEntries = [id: string, fields: string[]][];
