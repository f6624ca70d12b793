/** Whether a text is an origin of web pages, in the exact form that browsers send. */
export const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
