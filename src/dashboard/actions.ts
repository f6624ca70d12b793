import type { Session } from './session.js';
import { SourceError } from './source.js';

/** The snapshot that undo goes back to. */
const undoName = 'page-undo';

/** What a person does with the page; each is one or two control requests. */
export interface Actions {
  /** Sends a request and reads again what it changed. A refusal is told, and gives `undefined`. */
  send<Result>(method: 'POST' | 'PUT' | 'DELETE', path: string, input?: object): Promise<Result | undefined>;
  reset(): Promise<void>;
  load(scenario: string, reseed: boolean): Promise<void>;
  undo(): Promise<void>;
  toggleClock(): Promise<void>;
}

/** @param tell shows a sentence, with `undo` where that is possible */
export function createActions(session: Session, tell: (text: string, canUndo?: boolean) => void): Actions {
  const { source } = session;
  const send: Actions['send'] = async <Result>(method: 'POST' | 'PUT' | 'DELETE', path: string, input?: object) => {
    try {
      const result = await source.send<Result>(method, path, input);
      session.refreshNow();
      return result;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      tell(error.message);
      return undefined;
    }
  };
  /** Does something that cannot be taken back but by the snapshot that is saved first. */
  const undoable = async (text: string, act: () => Promise<unknown>) => {
    const saved = await send('PUT', `/snapshots/${undoName}`);
    if (saved !== undefined && (await act()) !== undefined) tell(text, true);
  };
  return {
    send,
    reset: () => undoable('Reset to the start of the scenario.', () => send('POST', '/reset')),
    load: (scenario, reseed) => undoable(`Loaded ${scenario}.`, () => send('POST', '/scenario', { scenario, reseed })),
    async undo() {
      const restored = await send<{ scenario: string }>('POST', `/snapshots/${undoName}/restore`);
      if (restored !== undefined) {
        tell(`Back in ${restored.scenario} as it was: pets, keys, limits, bans, faults and clock.`);
      }
    },
    async toggleClock() {
      await send('POST', '/clock', session.state.clock?.mode === 'frozen' ? { resume: true } : { freeze: true });
    },
  };
}
