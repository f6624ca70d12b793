import type { Session } from './session.js';
import { SourceError } from './source.js';

/** Names of the simulator snapshots to which Undo and Redo return. */
const undoName = 'page-undo';
const redoName = 'page-redo';

/** Maximum time between the clicks of a double click. */
const doubleClickMs = 500;

/** Button in a message that offers a remedy, such as Undo. */
export interface MessageButton {
  name: string;
  act(): void;
}

/** Changes of the simulator that a user of the dashboard can make. Each sends one to four control requests. */
export interface Actions {
  /**
   * Sends a control request and refreshes the state on the dashboard. If the server rejects the request, shows the
   * message and returns `undefined`.
   */
  send<Result>(method: 'POST' | 'PUT' | 'DELETE', path: string, input?: object): Promise<Result | undefined>;
  reset(): void;
  load(scenario: string, reseed: boolean): void;
  /** Changes the simulator so that Undo takes the change back. Returns whether the server accepted the change. */
  change(text: string, ...request: Parameters<Actions['send']>): Promise<boolean>;
  undo(): Promise<void>;
  /** Whether the simulator has the state before the latest change, also after the page was loaded again. */
  canUndo(): Promise<boolean>;
  revoke(keyId: string, name: string): Promise<void>;
  toggleClock(): Promise<void>;
}

/**
 * Creates the actions of the dashboard's buttons and menus.
 * @param showMessage shows a message with an optional button; `canUndo` enables the dashboard's button Undo
 * @param showFailure shows why the server rejected a change
 */
export function createActions(
  session: Session,
  showMessage: (text: string, remedy?: MessageButton, canUndo?: boolean) => void,
  showFailure: (text: string) => void,
): Actions {
  const { source } = session;
  /** Description of the latest control action, remembered as long as a double click could repeat it. */
  let latest = '';
  const forget = () => {
    latest = '';
  };
  const send: Actions['send'] = async <Result>(method: 'POST' | 'PUT' | 'DELETE', path: string, input?: object) => {
    try {
      const result = await source.send<Result>(method, path, input);
      session.refreshNow();
      return result;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      showFailure(error.message);
      return undefined;
    }
  };
  /**
   * Changes the simulator so that the user can undo the change. Saves a snapshot of the simulator first, and a copy of
   * its request list if the change empties the list.
   */
  const undoable = async (text: string, act: () => Promise<unknown>, isEmptying = true): Promise<boolean> => {
    // Ignores the second click of a double click. A repeated change would overwrite the snapshot for the Undo button,
    // which was saved before the first click.
    if (text === latest) return false;
    latest = text;
    let isChanged = false;
    try {
      isChanged = await saveAndChange(text, act, isEmptying);
    } finally {
      // A refused change may be repeated at once.
      setTimeout(forget, isChanged ? doubleClickMs : 0);
    }
    return isChanged;
  };
  const saveAndChange = async (text: string, act: () => Promise<unknown>, isEmptying: boolean) => {
    const [saved, run] = await Promise.all([
      send('PUT', `/snapshots/${undoName}`),
      isEmptying && session.state.total > 0 ? source.text('/run.json').catch(() => undefined) : undefined,
    ]);
    if (saved === undefined || (await act()) === undefined) return false;
    if (run !== undefined) session.keepRemoved(run);
    showMessage(text, { name: 'Undo', act: () => void actions.undo() }, true);
    return true;
  };
  const restore = async (name: string, remedy?: MessageButton) => {
    const restored = await send<{ scenario: string }>('POST', `/snapshots/${name}/restore`);
    if (restored === undefined) return;
    await source.send('DELETE', `/snapshots/${name}`);
    showMessage(`Restored ${restored.scenario}: pets, keys, limits, bans, faults and clock.`, remedy);
  };
  const actions: Actions = {
    send,
    change: (text, ...request) => undoable(text, () => send(...request), false),
    reset: () => void undoable('Reset to the start of the scenario.', () => send('POST', '/reset')),
    load: (scenario, reseed) =>
      void undoable(`Loaded ${scenario}.`, async () => {
        const loaded = await send('POST', '/scenario', { scenario, reseed });
        return loaded && send('DELETE', '/journal');
      }),
    async undo() {
      forget();
      if ((await send('PUT', `/snapshots/${redoName}`)) !== undefined)
        await restore(undoName, { name: 'Redo', act: () => void restore(redoName) });
    },
    canUndo: async () =>
      (await source.send<{ name: string }[]>('GET', '/snapshots')).some(({ name }) => name === undoName),
    async revoke(keyId, name) {
      const key = `/keys/${encodeURIComponent(keyId)}`;
      if ((await send('POST', `${key}/revoke`)) !== undefined)
        showMessage(`Revoked ${name}.`, { name: 'Undo', act: () => void send('POST', `${key}/restore`) });
    },
    async toggleClock() {
      const isFrozen = session.state.clock?.mode === 'frozen';
      if ((await send('POST', '/clock', isFrozen ? { resume: true } : { freeze: true })) !== undefined)
        showMessage(isFrozen ? 'The clock runs.' : 'The clock is frozen.');
    },
  };
  return actions;
}
