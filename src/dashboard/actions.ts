import type { RunReport } from '../control-api/run-report.js';
import type { Session } from './session.js';
import { SourceError } from './source.js';

/** Name of the simulator snapshot to which Undo returns. */
const undoName = 'page-undo';

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
  reset(): Promise<void>;
  load(scenario: string, reseed: boolean): Promise<void>;
  undo(): Promise<void>;
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
   * Resets the simulator or loads another scenario, so that the user can undo the change. Saves a snapshot of the
   * simulator and a copy of its request list first, because the change empties the list.
   */
  const undoable = async (text: string, act: () => Promise<unknown>) => {
    // Ignores the second click of a double click. A repeated change would overwrite the snapshot for the Undo button,
    // which was saved before the first click.
    if (text === latest) return;
    latest = text;
    await saveAndChange(text, act).finally(() => setTimeout(forget, doubleClickMs));
  };
  const saveAndChange = async (text: string, act: () => Promise<unknown>) => {
    const count = session.state.total;
    const [saved, run] = await Promise.all([
      send('PUT', `/snapshots/${undoName}`),
      count === 0 ? undefined : source.text('/run.json').catch(() => undefined),
    ]);
    if (saved === undefined || (await act()) === undefined) return;
    if (run !== undefined) session.removed = JSON.parse(run) as RunReport;
    showMessage(text, { name: 'Undo', act: () => void actions.undo() }, true);
  };
  const actions: Actions = {
    send,
    reset: () => undoable('Reset to the start of the scenario.', () => send('POST', '/reset')),
    load: (scenario, reseed) =>
      undoable(`Loaded ${scenario}.`, async () => {
        const loaded = await send('POST', '/scenario', { scenario, reseed });
        return loaded && send('DELETE', '/journal');
      }),
    async undo() {
      forget();
      const restored = await send<{ scenario: string }>('POST', `/snapshots/${undoName}/restore`);
      if (restored !== undefined)
        showMessage(`Restored ${restored.scenario}: pets, keys, limits, bans, faults and clock.`);
    },
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
