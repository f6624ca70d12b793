import { formatCount } from './format.js';
import type { Session } from './session.js';
import { SourceError } from './source.js';

/**
 * Names of the snapshots to which Undo and Redo return, such as `page-undo.12.Deleted_pet_3.`: number of requests so far,
 * and the change in words, with `_` for characters that no name has.
 */
const snapshotName = /^page-(undo|redo)\.(\d+)\.(.*)$/;
const maximumNameLength = 64;

/** Maximum time between the clicks of a double click. */
const doubleClickMs = 500;

/** Button in a message that offers a remedy, such as Undo. */
export interface MessageButton {
  name: string;
  /** Effect of the button in words, as a hint. */
  title?(): string | undefined;
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
  /** Takes the latest change back; after an undo, returns to the state before the undo. */
  undo(): Promise<void>;
  /** Reads which change can be taken back, also after the page was loaded again. */
  findUndo(): Promise<void>;
  revoke(keyId: string, name: string): Promise<void>;
  toggleClock(): Promise<void>;
}

/**
 * Describes the effect of the button Undo: its name, and a hint with the change and the number of requests since, which
 * it takes back as well.
 */
export function describeUndo({ state: { undo = '', total } }: Session): { name: string; title?: string } {
  const [, kind, before, text = ''] = snapshotName.exec(undo) ?? [];
  if (kind === undefined) return { name: 'Undo' };
  const [name, other] = kind === 'undo' ? ['Undo', 'Redo'] : ['Redo', 'Undo'];
  const since = total - Number(before);
  const lost =
    since > 0 ? ` Also takes back what ${formatCount(since, 'request')} did since; ${other} returns that.` : '';
  return { name, title: `${name}: ${text.replaceAll('_', ' ').trim()}${lost}` };
}

/**
 * Creates the actions of the dashboard's buttons and menus.
 * @param showMessage shows a message with an optional button
 * @param showFailure shows why the server rejected a change
 */
export function createActions(
  session: Session,
  showMessage: (text: string, remedy?: MessageButton) => void,
  showFailure: (text: string) => void,
): Actions {
  const { source } = session;
  /** Latest control action, remembered as long as a double click could repeat it. */
  let latest = '';
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
  /** Ignores the second click of a double click. A refused action may be repeated at once. */
  const once = async <Result>(action: string, act: () => Promise<Result | undefined>) => {
    if (action === latest) return undefined;
    latest = action;
    let result: Result | undefined;
    try {
      result = await act();
    } finally {
      setTimeout(
        () => {
          if (latest === action) latest = '';
        },
        result === undefined ? 0 : doubleClickMs,
      );
    }
    return result;
  };
  /**
   * Saves a snapshot to which Undo or Redo returns, and acts. Removes the snapshot again if the server refuses the
   * action, and otherwise the one of the action before.
   */
  const keepBefore = async <Result>(
    kind: 'undo' | 'redo',
    text: string,
    total: number,
    act: () => Promise<Result | undefined>,
  ) => {
    const old = session.state.undo;
    let name = `page-${kind}.${total}.${text.replace(/[^\w.-]/g, '_')}`.slice(0, maximumNameLength - 1);
    if (name === old) name += '_';
    if ((await send('PUT', `/snapshots/${name}`)) === undefined) return undefined;
    const result = await act();
    if (result !== undefined) session.set({ undo: name });
    const needless = result === undefined ? name : old;
    // Another dashboard may have removed it.
    if (needless) await source.send('DELETE', `/snapshots/${needless}`).catch(() => {});
    return result;
  };
  const undoButton = () => ({
    name: describeUndo(session).name,
    title: () => describeUndo(session).title,
    act: () => void actions.undo(),
  });
  /** Makes a change that Undo takes back. If it empties the request list, keeps a copy of the list. */
  const undoable = async (text: string, act: () => Promise<unknown>, isEmptying = true) => {
    const { total } = session.state;
    let run: string | undefined;
    const changed = await once(text, () =>
      keepBefore('undo', text, isEmptying ? 0 : total, async () => {
        if (isEmptying && total > 0) run = await source.text('/run.json').catch(() => undefined);
        return act();
      }),
    );
    if (changed === undefined) return false;
    if (run !== undefined) session.keepRemoved(run);
    showMessage(text, undoButton());
    return true;
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
      const { undo = '', total } = session.state;
      const [, kind, , text = ''] = snapshotName.exec(undo) ?? [];
      if (kind === undefined) return;
      const restored = await once('undo', () =>
        keepBefore(kind === 'undo' ? 'redo' : 'undo', text, total, () =>
          send<{ scenario: string }>('POST', `/snapshots/${undo}/restore`),
        ),
      );
      if (restored)
        showMessage(`Restored ${restored.scenario}: pets, keys, limits, bans, faults and clock.`, undoButton());
    },
    findUndo: async () => {
      const saved = await source.send<{ name: string }[]>('GET', '/snapshots');
      session.set({ undo: saved.findLast(({ name }) => snapshotName.test(name))?.name });
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
