import type { PetstoreMatchers } from './test-kits/matchers.js';

export { matchers, type PetstoreMatchers } from './test-kits/matchers.js';

declare global {
  // Extends the types of `@types/jest` and Playwright, which define the type parameters.
  namespace jest {
    interface Matchers<R, T> extends PetstoreMatchers {}
  }
  namespace PlaywrightTest {
    interface Matchers<R, T> extends PetstoreMatchers {}
  }
}
