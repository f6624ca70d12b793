import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Actions } from './actions.js';
import { Button, Checkbox, Sourced, TextInput } from './controls.js';
import { Dialog } from './dialogs.js';
import type { Session } from './session.js';
import type { ListedScenario } from './session-state.js';

// The page loads this module when the user wants to load a scenario.

/**
 * Rank of a scenario in a search, the best first: the name starts with the word, contains it, or the description has a
 * word that starts with it, or contains it. With several words, the worst counts; -1 if one is missing.
 */
function rankOf({ name, description, fail = [] }: ListedScenario, words: readonly string[]): number {
  const [title, text] = [name.toLowerCase(), `${description} ${fail.join(' ')}`.toLowerCase()];
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
  /** Words of the search at first. */
  initial?: string | undefined;
  onClose(): void;
  onLoad(): void;
}

/** Order of the groups of scenarios; others follow. */
const groups = ['start', 'data', 'keys', 'limits', 'headers', 'bans', 'posts', 'network', 'paging'];
const placeOf = ({ group = '' }: ListedScenario) => (groups.includes(group) ? groups.indexOf(group) : groups.length);

/** Dialog to choose and load a scenario, with a description of each. The arrow keys mark a line, Enter loads it. */
export function ScenarioPicker({ session, actions, initial = '', onClose, onLoad }: ScenarioPickerProps) {
  const list = useMemo(() => session.scenarios, [session]);
  const [all, setAll] = useState<ListedScenario[]>();
  const [failure, setFailure] = useState('');
  const [text, setText] = useState(initial);
  /** Index of the line that Enter loads. None before the user types or moves. */
  const [marked, setMarked] = useState(initial ? 0 : -1);
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
      .sort((one, other) => one.rank - other.rank || placeOf(one.each) - placeOf(other.each))
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
            .filter((_, index) => index === marked)
            .map(load),
        () => {},
      );
  };
  return (
    <Dialog title="Load a scenario" onClose={onClose}>
      <TextInput
        autofocus
        onKeyDown={onKeyDown}
        aria-label="Find a scenario"
        placeholder="Find: ban, 429, lost, early-retry…"
        value={text}
        onText={(text) => {
          setText(text);
          setMarked(text.trim() === '' ? -1 : 0);
        }}
      />
      <Checkbox text="also reset pets and clock" isChecked={reseed} onCheck={setReseed} />
      <p class="said" role="status">
        {found[marked]?.name}
      </p>
      <ul class="scenarios" ref={lines}>
        {found.map((listed, index) => (
          <li key={listed.name} class={index === marked ? 'marked' : ''}>
            {words.length === 0 && placeOf(listed) !== placeOf(found[index - 1] ?? { name: '', description: '' }) && (
              <h3>{listed.group ?? 'other'}</h3>
            )}
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
