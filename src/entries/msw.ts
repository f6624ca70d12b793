import '../petstore/types.js';

export { type HandlersOptions, handlers } from '../in-process/msw.js';
export { guarded } from '../own-routes/guarded.js';
