// `hunt` has a separate package entry point, so that a test that only judges a client does not load the search.

import './petstore/types.js';

export { type Find, type HuntOptions, type HuntResult, hunt } from './hunt/hunt.js';
export type { HuntClient, HuntContext } from './hunt/run-in-process.js';
export type { FindingCode } from './scenario/finding-codes.js';
