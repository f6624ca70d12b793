import { useEffect, useReducer, useState } from 'preact/hooks';
import type { RunReport } from '../control-api/run-report.js';
import { createFileSource } from './file-source.js';
import { readRequests, readRun } from './read-file.js';
import { Session, watchState } from './session.js';

/** Maximum size of a file that the dashboard reads. The server's limit is higher, because JSON escapes the text. */
const maximumBytes = 32 * 1024 * 1024;

/** Renders the component again after each change of the dashboard's displayed state (`session.state`). */
export function useChanges(session: Session): void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => watchState(session, () => redraw(undefined)), [session]);
}

/**
 * Hook for a recorded run that the user opens as a file in the dashboard. Returns the opened run, if any, and functions
 * that open and close a file. A server judges recordings, and stores nothing of them; without a server they have no
 * verdict.
 * @param live session whose server judges recordings
 * @param onChange called before the dashboard shows another file, or the server's run again
 */
export function useFile({ source }: Session, onChange = () => {}) {
  const [file, setFile] = useState<Session>();
  const change = (next?: Session) => {
    file?.close();
    onChange();
    setFile(next);
  };
  const open = async (chosen: File, baseUrl?: string) => {
    const { name, size } = chosen;
    if (size > maximumBytes) throw new Error(`${name} is larger than 32 MiB. petstore-sim judge FILE judges it.`);
    const text = await chosen.text();
    const run =
      readRun(text) ??
      (await source.sendToServer?.<RunReport>('POST', '/judge', { name, text, baseUrl })) ??
      readRequests(name, text);
    change(new Session(createFileSource(run)));
  };
  return { file, canJudge: source.sendToServer !== undefined, onFile: open, onBack: file && (() => change()) };
}
