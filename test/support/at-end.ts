import { onTestFinished, TestRunner } from 'vitest';

type End = () => void | Promise<void>;

let ofFile: End[] = [];

/** Calls back at the end of the test or, outside of a test, of the file. */
export function atEnd(end: End): void {
  if (TestRunner.getCurrentTest() === undefined) ofFile.push(end);
  else onTestFinished(end);
}

/** Calls what awaits the end of the file, the latest first; `set-up-file.ts` calls this. */
export async function endFile(): Promise<void> {
  for (const end of ofFile.reverse()) await end();
  ofFile = [];
}
