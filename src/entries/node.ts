import '../petstore/types.js';

export { type ServedData, type ServeOptions, serve } from '../persistence/node/serve.js';
export { refusals, words } from '../scenario/node/refusals.js';
export { readScenario } from '../scenario/node/scenario-files.js';
export type { AnsweredRequest, OnAnswer, ServedAnswer } from '../server/http/served-answer.js';
export { listen } from '../server/listen.js';
export type { ListenOptions, RunningServer } from '../server/server.js';
