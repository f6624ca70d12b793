import { useEffect, useReducer, useState } from 'preact/hooks';
import { createFileSource } from './file-source.js';
import { readFile } from './read-file.js';
import { Session, watchState } from './session.js';

/** Renders the component again after each change of the dashboard's displayed state (`session.state`). */
export function useChanges(session: Session): void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => watchState(session, () => redraw(undefined)), [session]);
}

/**
 * Hook for a recorded run that the user opens as a file in the dashboard. Returns the opened run, if any, and functions
 * that open and close a file.
 * @param onChange called before the dashboard shows another file, or the server's run again
 */
export function useFile(onChange = () => {}) {
  const [file, setFile] = useState<Session>();
  const change = (next?: Session) => {
    file?.close();
    onChange();
    setFile(next);
  };
  const open = async (chosen: File) => {
    change(new Session(createFileSource(readFile(chosen.name, await chosen.text()))));
  };
  return { file, onFile: open, onBack: file && (() => change()) };
}
