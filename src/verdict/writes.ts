import type { JudgedRequest, Run } from './run.js';

/** The requests that try to store a pet. */
export const writesOf = ({ requests }: Run): JudgedRequest[] =>
  requests.filter(({ operation }) => operation === 'createPet');

/** Whether the client could not tell what became of its request: cut, unreadable, given up, or a 5xx. */
export const isUnknown = ({ isUnreadable, status }: JudgedRequest) => isUnreadable || status === 0 || status >= 500;
