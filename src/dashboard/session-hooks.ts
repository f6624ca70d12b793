import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { RunReport } from '../control-api/run-report.js';
import { createFileSource } from './file-source.js';
import { readRun } from './read-file.js';
import { Session, watchState } from './session.js';

/** Maximum size of a file that the dashboard reads. The server's limit is higher, because JSON escapes the text. */
const maximumBytes = 32 * 1024 * 1024;

/** Facts about a recording that only its user knows, by their names in the control operation that judges files. */
interface JudgeOptions {
  baseUrl?: string;
  oneKey?: boolean;
  ended?: boolean;
}

/** Judged recording. The user can have it judged again with other facts. */
export interface Judged {
  file: File;
  options: JudgeOptions;
}

/** Renders the component again after each change of the dashboard's displayed state (`session.state`). */
export function useChanges(session: Session): void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => watchState(session, () => redraw(undefined)), [session]);
}

/** Returns the value of a promise, which must not fail; `undefined` before. */
export function useValue<Value>(asked: Promise<Value>): Value | undefined {
  const [answer, setAnswer] = useState<{ asked: Promise<Value>; value: Value }>();
  useEffect(() => {
    let isWanted = true;
    void asked.then((value) => isWanted && setAnswer({ asked, value }));
    return () => {
      isWanted = false;
    };
  }, [asked]);
  return answer?.asked === asked ? answer.value : undefined;
}

/**
 * Loads a module when `wanted` first has a value, and again after a failure when it has another. Returns the module's
 * exports, and an empty object before.
 */
export function useModule<Module extends object>(
  wanted: unknown,
  load: () => Promise<Module>,
  onFailure: (text: string) => void,
): Partial<Module> {
  const [module, setModule] = useState<Partial<Module>>({});
  useEffect(() => {
    if (wanted)
      load().then(
        (loaded) => setModule(loaded),
        () => onFailure('The server does not respond.'),
      );
  }, [wanted]);
  return module;
}

/**
 * Hook for a recorded run that the user opens as a file in the dashboard. Returns the opened run, if any, and functions
 * that open and close a file. A server judges recordings, and stores nothing of them; without a server only reports can
 * be opened.
 * @param live session whose server judges recordings
 * @param onChange called before the dashboard shows another file, or the server's run again
 */
export function useFile({ source }: Session, onChange = () => {}) {
  const [{ session, judged }, setOpened] = useState<{ session?: Session; judged?: Judged }>({});
  const change = (next: { session?: Session; judged?: Judged }) => {
    session?.close();
    onChange();
    setOpened(next);
  };
  const latest = useRef<JudgeOptions>(undefined);
  const open = async (file: File, options: JudgeOptions = {}) => {
    latest.current = options;
    // The next choice adds to this one, also before its verdict arrives.
    if (judged?.file === file) setOpened((opened) => ({ ...opened, judged: { file, options } }));
    const { name, size } = file;
    if (size > maximumBytes) throw new Error(`${name} is larger than 32 MiB. petstore-sim judge FILE judges it.`);
    const text = await file.text();
    const query = new URLSearchParams({ name, ...(options as Record<string, string>) });
    const saved = readRun(text);
    const run = saved ?? (await source.sendToServer?.<RunReport>('POST', `/judge?${query}`, text));
    if (!run) throw new Error(`${name} is no report. To judge a recording: petstore-sim judge ${name}`);
    if (latest.current !== options) return;
    change({
      session: new Session(createFileSource(run)),
      ...(!saved && { judged: { file, options } }),
    });
  };
  const canJudge = source.sendToServer !== undefined;
  return { file: session, judged, canJudge, onFile: open, onBack: session && (() => change({})) };
}
