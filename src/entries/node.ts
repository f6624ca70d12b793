import '../petstore/types.js';

export type { AnsweredRequest, OnAnswer, ServedAnswer } from '../http/served-answer.js';
export { type ServedData, type ServeOptions, serve } from '../persistence/node/serve.js';
export { refusals, words } from '../scenario/refusals.js';
export { readScenario } from '../scenario-files/scenario-files.js';
export { listen } from '../server/listen.js';
export type { ListenOptions, RunningServer } from '../server/server.js';
