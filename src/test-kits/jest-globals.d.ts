/** Declares the part of Jest's types that this package uses, because Jest is no dependency of the package. */
declare module '@jest/globals' {
  export type Define = (name: string, body: () => Promise<void>, timeoutMs?: number) => void;
  export const test: Define & { only: Define; skip: Define; failing: Define };
  export function afterEach(hook: () => Promise<void>): void;
  export function expect(received: unknown): import('./matchers.js').PetstoreMatchers;
  export namespace expect {
    function extend(matchers: object): void;
  }
}

/** Jest's interface of matchers, to which `petstore-sim/jest` adds its matchers. */
declare module 'expect' {
  export interface Matchers<R extends void | Promise<void>, T = unknown> {}
}
