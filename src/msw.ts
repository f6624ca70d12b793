export { guarded, type HandlersOptions, handlers } from './adapters/msw.js';
