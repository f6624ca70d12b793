import type { PetstoreMatchers } from './test-kits/matchers.js';

export { matchers, type PetstoreMatchers } from './test-kits/matchers.js';

declare global {
  // What `@types/jest` and Playwright call it; the type parameters are theirs.
  namespace jest {
    interface Matchers<R, T> extends PetstoreMatchers {}
  }
  namespace PlaywrightTest {
    interface Matchers<R, T> extends PetstoreMatchers {}
  }
}
