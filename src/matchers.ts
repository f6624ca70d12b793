export { matchers, type PetstoreMatchers } from './kit/matchers.js';
