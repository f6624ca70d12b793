export type { OnAnswer } from './node/http/api-listener.js';
export { type ListenOptions, listen, type RunningServer } from './node/http/server.js';
export { readScenario } from './node/scenario-files/scenario-files.js';
