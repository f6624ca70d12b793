import { afterAll, onTestFinished, TestRunner } from 'vitest';

type End = () => void | Promise<void>;

const ofFile: End[] = [];
afterAll(async () => {
  for (const end of ofFile.reverse()) await end();
});

/** Calls back when the test is over; where something is made for all tests of a file, after the last. */
export function atEnd(end: End): void {
  if (TestRunner.getCurrentTest() === undefined) ofFile.push(end);
  else onTestFinished(end);
}
