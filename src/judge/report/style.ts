/** A function that styles text for a terminal, like `styleText` of `node:util`. */
export type Style = (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', text: string) => string;
