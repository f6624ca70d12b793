export { ControlError } from './control/control-error.js';
export {
  type Control,
  type ControlOptions,
  createControl,
  type RemoteControl,
  type ServerControl,
} from './control/create-control.js';
export type { JournalEntry } from './control/journal-entry.js';
export { readStart } from './scenario/read-start.js';
