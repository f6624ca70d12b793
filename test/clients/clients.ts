import { type ClientSettings, clientSettings } from '../../src/judge/client-settings.js';
import type { Language } from './languages.js';
import { nodeClients } from './node-clients.js';
import { otherClients } from './other-clients.js';

/** A tested client: a program in `programs/`, by default and with the settings that pass. */
export interface Client {
  /** Name in results.json and of the program. */
  id: string;
  name: string;
  language: Language;
  /** Its npm or Debian package. */
  npm?: string;
  debian?: string;
  /** Option or plugin with which the client retries; its default is no retry. */
  option?: string;
  /** Behavior by default, or with the option, according to the source code and the runs. */
  defaults: string;
  /** Whether `npm test` runs it, too: it needs no further packages. */
  isTested?: boolean;
  /** A retry loop without a library, shown as a warning, without settings. */
  isLoop?: boolean;
  /** Reason for the settings, or their limits. */
  note?: string;
}

/** A client whose name is in `clientSettings`, unless it is a loop. */
export type ClientRow = Omit<Client, 'name'> & Partial<Pick<Client, 'name'>>;

export const tableOf = ({ id }: Pick<Client, 'id'>): ClientSettings | undefined =>
  (clientSettings as Record<string, ClientSettings>)[id];

export const clients: readonly Client[] = [...nodeClients, ...otherClients].map((row) => ({
  ...row,
  name: row.name ?? tableOf(row)?.name ?? row.id,
}));

/** Use of a client: by default, or with the settings that pass. */
export type Setting = 'byDefault' | 'setRight';

export const settingsOf = ({ isLoop }: Client): Setting[] => (isLoop ? ['byDefault'] : ['byDefault', 'setRight']);
