import { documentedNames, documentedWindows } from './window-fields.js';

/** Formats a rate-limit window of whole seconds by its documented name or in its largest unit: `minute`, `10 s`, `2 h`. */
export function windowText(seconds: number): string {
  const documented = documentedNames.find((name) => documentedWindows[name] === seconds);
  if (documented !== undefined) return documented;
  if (seconds % 86_400 === 0) return `${seconds / 86_400} days`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  if (seconds % 60 === 0) return `${seconds / 60} min`;
  return `${seconds} s`;
}

/** Adds the article to a window's name: `a minute`, `an hour`. */
export const withArticle = (name: string): string => `${/^(?:[aeio]|hour)/.test(name) ? 'an' : 'a'} ${name}`;
