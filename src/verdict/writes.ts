import type { JudgedRequest, Run } from './run.js';

/** The requests that try to store an animal. */
export const writesOf = ({ requests }: Run): JudgedRequest[] =>
  requests.filter(({ operation }) => operation === 'createPet');

/** Whether the client could not tell what became of its request: cut, spoiled, given up, or a 5xx. */
export const isUnknown = ({ isSpoiled, status }: JudgedRequest) => isSpoiled || status === 0 || status >= 500;
