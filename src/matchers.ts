import type { PetstoreMatchers } from './test-kits/matchers.js';

export { matchers, type PetstoreMatchers } from './test-kits/matchers.js';

declare global {
  // Extends the matchers of `@types/jest` and of Playwright, whose declarations determine the type parameters.
  namespace jest {
    interface Matchers<R, T> extends PetstoreMatchers {}
  }
  namespace PlaywrightTest {
    interface Matchers<R, T> extends PetstoreMatchers {}
  }
}
