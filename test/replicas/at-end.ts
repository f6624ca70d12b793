import { afterAll, onTestFinished, TestRunner } from 'vitest';

type End = () => void | Promise<void>;

const ofFile: End[] = [];
afterAll(async () => {
  for (const end of ofFile.reverse()) await end();
});

/** Calls back at the end of the test or, outside of a test, of the file. */
export function atEnd(end: End): void {
  if (TestRunner.getCurrentTest() === undefined) ofFile.push(end);
  else onTestFinished(end);
}
