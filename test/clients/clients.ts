import type { Language } from './languages.js';
import { nodeClients } from './node-clients.js';
import { otherClients } from './other-clients.js';

/** A client that is tried: a program in `programs/`, as it comes and with the settings that make it right. */
export interface Client {
  /** Its name in results.json, and of its program. */
  id: string;
  name: string;
  language: Language;
  /** The npm or Debian package that it comes with. */
  npm?: string;
  debian?: string;
  /** What it does by default, read in its code and seen in the run. */
  defaults: string;
  /** Whether `npm test` tries it, too: it needs nothing but what the other tests need. */
  isTested?: boolean;
  /** A loop as it is written by hand, shown as a warning: nobody sets it right. */
  isLoop?: boolean;
  /** What the settings cannot do, or what to look out for. */
  note?: string;
}

export const clients: readonly Client[] = [...nodeClients, ...otherClients];

/** How a client is used. */
export type Setting = 'byDefault' | 'setRight';

export const settingsOf = ({ isLoop }: Client): Setting[] => (isLoop ? ['byDefault'] : ['byDefault', 'setRight']);
