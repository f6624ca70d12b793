// The function `hunt` has its own package entry point. A test that only judges a client then does not load the bug
// search of `hunt`.

import '../petstore/types.js';

export { type Find, type HuntOptions, type HuntResult, hunt } from '../hunt/hunt.js';
export type { HuntClient, HuntContext } from '../hunt/run-in-process.js';
export type { FindingCode } from '../scenario/finding-codes.js';
