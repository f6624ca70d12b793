export { guarded, type HandlersOptions, handlers } from './in-process/msw.js';
