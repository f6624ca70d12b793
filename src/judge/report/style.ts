/** Makes text stand out on a terminal; `styleText` of `node:util` is one. */
export type Style = (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', text: string) => string;
