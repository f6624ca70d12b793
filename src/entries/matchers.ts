import '../petstore/types.js';
import type { PetstoreMatchers } from '../test-kits/matchers.js';

export { matchers, type PetstoreMatchers } from '../test-kits/matchers.js';

declare global {
  // Adds the matchers to the types of `@types/jest` and Playwright. The type parameters must have the names declared
  // there.
  namespace jest {
    interface Matchers<R, T> extends PetstoreMatchers {}
  }
  namespace PlaywrightTest {
    interface Matchers<R, T> extends PetstoreMatchers {}
  }
}
