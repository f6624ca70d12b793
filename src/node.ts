import './petstore/types.js';

export type { AnsweredRequest, OnAnswer, ServedAnswer } from './node/http/served-answer.js';
export type { ListenOptions, RunningServer } from './node/http/server.js';
export { listen } from './node/listen.js';
export { readScenario } from './node/scenario-files/scenario-files.js';
export { type ServedData, type ServeOptions, serve } from './node/serve.js';
