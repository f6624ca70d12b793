import { formatCount } from './format.js';
import type { Session } from './session.js';
import { SourceError } from './source.js';

/**
 * Names of the snapshots to which Undo and Redo return, such as `page-undo.12.Deleted_pet_3.`: number of requests so far,
 * and the change in words, with `..` for a colon and `_` for other characters that no name has.
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

/**
 * Sends a control request and refreshes the state on the dashboard. If the server rejects the request, shows the
 * message and returns `undefined`.
 */
type Send = <Result>(method: 'POST' | 'PUT' | 'DELETE', path: string, input?: object) => Promise<Result | undefined>;

/** Changes of the simulator that a user of the dashboard can make. Each sends one to four control requests. */
export interface Actions {
  reset(): void;
  load(scenario: string, reseed: boolean): void;
  /**
   * Makes a change that Undo takes back.
   * @param text change in words
   * @param act makes the change; returns `undefined`, or throws, if the server rejected it
   * @returns `true` if the server accepted the change
   */
  keep(text: string, act: () => Promise<unknown>): Promise<true | undefined>;
  /** Makes a change by one control request that Undo takes back. Returns `true` if the server accepted it. */
  change(text: string, ...request: Parameters<Send>): Promise<true | undefined>;
  /** Moves the clock; twice at a double click. @param text change in words */
  move(change: object, text: string): void;
  /** Takes the latest change back; after an undo, returns to the state before the undo. */
  undo(): Promise<void>;
  /** Reads which change can be taken back, also after the page was loaded again. */
  findUndo(): Promise<void>;
  toggleClock(): Promise<true | undefined>;
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
  return { name, title: `${name}: ${inWords(text)} Sets the clock as well.${lost}` };
}

/** Change in words, from the name of a snapshot. */
const inWords = (text: string) => text.replaceAll('..', ':').replaceAll('_', ' ').trim();

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
  const send: Send = async <Result>(method: 'POST' | 'PUT' | 'DELETE', path: string, input?: object) => {
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
  let turn: Promise<unknown> = Promise.resolve();
  /**
   * Saves a snapshot to which Undo or Redo returns, and acts, one action after another. Removes the snapshot again if
   * the server refuses the action, and otherwise the one of the action before.
   */
  const keepBefore = <Result>(
    kind: 'undo' | 'redo',
    text: string,
    total: number,
    act: () => Promise<Result | undefined>,
  ): Promise<Result | undefined> => {
    let needless: string | undefined;
    const acted = turn.then(async () => {
      const old = session.state.undo;
      let name = `page-${kind}.${total}.${text.replaceAll(':', '..').replace(/[^\w.-]/g, '_')}`.slice(
        0,
        maximumNameLength - 1,
      );
      if (name === old) name += '_';
      if ((await send('PUT', `/snapshots/${name}`)) === undefined) return undefined;
      needless = name;
      const result = await act();
      if (result !== undefined) {
        session.set({ undo: name });
        needless = old;
      }
      return result;
    });
    // Another dashboard may have removed it.
    turn = acted
      .catch(() => {})
      .then(() => needless && source.send('DELETE', `/snapshots/${needless}`).catch(() => {}));
    return acted;
  };
  const undoButton = () => ({
    name: describeUndo(session).name,
    title: () => describeUndo(session).title,
    act: () => void actions.undo(),
  });
  /** Makes a change that Undo takes back. If it empties the request list, keeps a copy of the list. */
  const undoable = async (text: string, act: () => Promise<unknown>, isEmptying = false) => {
    const { total } = session.state;
    let run: string | undefined;
    const changed = await keepBefore('undo', text, isEmptying ? 0 : total, async () => {
      if (isEmptying && total > 0) run = await source.text('/run.json').catch(() => undefined);
      return act();
    });
    if (changed === undefined) return undefined;
    if (run !== undefined) session.keepRemoved(run);
    showMessage(text, undoButton());
    return true;
  };
  const restart = (text: string, act: () => Promise<unknown>) => void once(text, () => undoable(text, act, true));
  const actions: Actions = {
    keep: (text, act) => once(text, () => undoable(text, act)),
    change: (text, ...request) => actions.keep(text, () => send(...request)),
    move: (change, text) => {
      latest = '';
      void undoable(text, () => send('POST', '/clock', change));
    },
    reset: () => restart('Reset to the start of the scenario.', () => send('POST', '/reset')),
    load: (scenario, reseed) =>
      restart(`Loaded ${scenario}.`, async () => {
        const loaded = await send('POST', '/scenario', { scenario, reseed });
        return loaded && send('DELETE', '/journal');
      }),
    async undo() {
      const { undo = '', total } = session.state;
      const [, kind, , text = ''] = snapshotName.exec(undo) ?? [];
      if (kind === undefined) return;
      const restored = await once('undo', () =>
        keepBefore(kind === 'undo' ? 'redo' : 'undo', text, total, () => send('POST', `/snapshots/${undo}/restore`)),
      );
      if (restored) showMessage(`${kind === 'undo' ? 'Undone' : 'Redone'}: ${inWords(text)}`, undoButton());
    },
    findUndo: async () => {
      const saved = await source.send<{ name: string }[]>('GET', '/snapshots');
      session.set({ undo: saved.findLast(({ name }) => snapshotName.test(name))?.name });
    },
    toggleClock: () =>
      session.state.clock?.mode === 'frozen'
        ? actions.change('Resumed the clock.', 'POST', '/clock', { resume: true })
        : actions.change('Froze the clock.', 'POST', '/clock', { freeze: true }),
  };
  return actions;
}
