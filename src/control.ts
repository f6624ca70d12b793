import './petstore/types.js';

export { ControlError } from './control-api/control-error.js';
export {
  type Control,
  type ControlOptions,
  createControl,
  type RemoteControl,
  type ServerControl,
} from './control-api/create-control.js';
export type { JournalEntry } from './control-api/journal-entry.js';
export { readStart } from './scenario/read-start.js';
