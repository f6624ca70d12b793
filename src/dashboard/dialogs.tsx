import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Actions } from './actions.js';
import { Button, Checkbox, CloseButton, Sourced, TextInput } from './controls.js';
import type { ListedScenario, Session } from './session.js';

interface DialogProps {
  title: string;
  onClose(): void;
  children: ComponentChildren;
}

/** Modal dialog of the dashboard. The browser keeps the focus inside, and Esc closes it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <CloseButton onClick={() => element.current?.close()} />
      </header>
      {children}
    </dialog>
  );
}

const shortcuts: [keys: string, what: string][] = [
  ['/', 'filter the requests'],
  ['j  k', 'the next and the previous line'],
  ['Home  End', 'the newest, the oldest; PageUp and PageDown by pages'],
  ['Enter', 'why the request got its response'],
  ['Esc', 'close, or show all'],
  ['c', 'copy the selected request as curl'],
  ['p', 'pause the list'],
  ['s', 'load a scenario'],
  ['r', 'reset to the start of the scenario'],
  ['u', 'undo the last reset or load'],
  ['f', 'freeze or resume the clock'],
  ['+  -  ←  →  0', 'zoom and move the timeline, show all'],
];

export function Help({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl class="shortcuts">
        {shortcuts.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split('  ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="note">
        Words of the filter: a key, a status (429, 5xx), an operation, a fault, a finding, #12, refused, strike, banned,
        fault, served, lost; key:free, status:429, body:Rex, body:"two words"; -served leaves out. Reports open and HARs
        and journals (JSON Lines) are judged when they are dropped here.
      </p>
    </Dialog>
  );
}

/** Dialog that shows a text and copies it. */
export function TextDialog({ title, text, onClose }: { title: string; text: string; onClose(): void }) {
  const [isCopied, setCopied] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const copy = async () => {
    area.current?.select();
    // The clipboard is unavailable outside of a secure context. The user can copy the selected text instead.
    await navigator.clipboard?.writeText(text);
    setCopied(true);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <textarea ref={area} readOnly rows={Math.min(24, text.split('\n').length + 2)} aria-label={title} value={text} />
      <p>
        <Button onClick={copy}>Copy</Button> <span role="status">{isCopied ? 'Copied.' : ''}</span>
      </p>
    </Dialog>
  );
}

/**
 * Rank of a scenario in a search, the best first: the name starts with the word, contains it, or the description has a
 * word that starts with it, or contains it. With several words, the worst counts; -1 if one is missing.
 */
function rankOf({ name, description }: ListedScenario, words: readonly string[]): number {
  const [title, text] = [name.toLowerCase(), description.toLowerCase()];
  const ranks = words.map((word) =>
    [
      title.startsWith(word),
      title.includes(word),
      text.split(/[^\p{L}\p{N}]+/u).some((each) => each.startsWith(word)),
      text.includes(word),
    ].indexOf(true),
  );
  return ranks.includes(-1) ? -1 : Math.max(0, ...ranks);
}

interface ScenarioPickerProps {
  session: Session;
  actions: Actions;
  onClose(): void;
  onLoad(): void;
}

/** Dialog to choose and load a scenario, with a description of each. The arrow keys mark a line, Enter loads it. */
export function ScenarioPicker({ session, actions, onClose, onLoad }: ScenarioPickerProps) {
  const list = useMemo(() => session.scenarios, [session]);
  const [all, setAll] = useState<ListedScenario[]>();
  const [failure, setFailure] = useState('');
  const [text, setText] = useState('');
  const [marked, setMarked] = useState(0);
  const [reseed, setReseed] = useState(true);
  const lines = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.then(setAll, ({ message }) => setFailure(message));
  }, [list]);
  useEffect(() => lines.current?.querySelector('.marked')?.scrollIntoView({ block: 'nearest' }), [marked]);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = (listed: ListedScenario[]) =>
    listed
      .map((each) => ({ each, rank: rankOf(each, words) }))
      .filter(({ rank }) => rank >= 0)
      .sort((one, other) => one.rank - other.rank)
      .map(({ each }) => each);
  const found = matching(all ?? []);
  const load = ({ name }: ListedScenario) => {
    void actions.load(name, reseed);
    onLoad();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setMarked(Math.min(found.length - 1, Math.max(0, marked + step)));
    } else if (event.key === 'Enter')
      // Waits for the server's list of scenarios, because the user may press Enter before the list arrives.
      list.then(
        (listed) =>
          matching(listed)
            .slice(marked, marked + 1)
            .map(load),
        () => {},
      );
  };
  return (
    <Dialog title="Load a scenario" onClose={onClose}>
      <TextInput
        type="search"
        autofocus
        onKeyDown={onKeyDown}
        aria-label="Find a scenario"
        placeholder="Find: ban, 429, lost, jitter…"
        value={text}
        onText={(text) => {
          setText(text);
          setMarked(0);
        }}
      />
      <Checkbox text="also reset pets and clock" isChecked={reseed} onCheck={setReseed} />
      <p class="said" role="status">
        {found[marked]?.name}
      </p>
      <ul class="scenarios" ref={lines}>
        {found.map((listed, index) => (
          <li key={listed.name} class={index === marked ? 'marked' : ''}>
            <Button class="link" onClick={() => load(listed)}>
              <b>{listed.name}</b>
            </Button>
            {listed.name === session.state.scenario && <small> loaded</small>}
            <p class="note">
              <Sourced text={listed.description} />
            </p>
          </li>
        ))}
      </ul>
      {failure && <p class="bad">{failure}</p>}
      {all !== undefined && found.length === 0 && <p class="empty">No scenario matches.</p>}
    </Dialog>
  );
}
