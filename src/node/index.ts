export type { OnAnswer } from './api-listener.js';
export { type ListenOptions, listen, type RunningServer } from './server.js';
