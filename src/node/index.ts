export type { OnAnswer } from './api-listener.js';
export { readScenario } from './scenario-files.js';
export { type ListenOptions, listen, type RunningServer } from './server.js';
