import '../petstore/types.js';

export type { Control, RemoteControl, ServerControl } from '../control-api/control.js';
export { ControlError } from '../control-api/control-error.js';
export type { ControlOptions } from '../control-api/create-control.js';
export type { JournalEntry } from '../control-api/journal-entry.js';
export { createControl } from '../petstore/served-petstore.js';
export { readStart } from '../scenario/read-start.js';
