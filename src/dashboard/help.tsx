import { Dialog } from './dialogs.js';
import { symbolNames } from './symbols.js';

// The page loads this module when the user first asks for help. Reports lack it.

type Lines = readonly (readonly [term: string, what: string])[];

const shortcuts: Lines = [
  ['/', 'filter the requests'],
  ['j  k', 'the next and the previous line'],
  ['Home  End', 'the newest, the oldest; PageUp and PageDown by pages'],
  ['Enter', 'why the request got its response'],
  ['Esc', 'close, or show all'],
  ['c', 'copy the selected request as curl'],
  ['p', 'pause the list'],
  ['s', 'load a scenario'],
  ['r', 'reset to the start of the scenario'],
  ['u', 'undo the latest change, or redo it'],
  ['f', 'freeze or resume the clock'],
  ['+  -  ←  →  0', 'zoom and move the timeline, show all'],
];

/** Words of the filter of requests. */
const words: Lines = [
  ['free-key', 'a part of a key, a path, an operation, a fault or a reason'],
  ['429  5xx', 'a status'],
  ['early-retry', 'the requests of a finding'],
  ['#12', 'the request with this number'],
  ['refused  strike  banned', 'rejected; too early again; in a ban'],
  ['served  lost  fault', 'succeeded; without a usable response; changed by a fault rule'],
  ['key:free  status:429', 'in one place only'],
  ['body:Rex  body:"two words"', 'in the body of request or response'],
  ['-served', 'all others'],
];

const signs: Lines = [
  ...Object.values(symbolNames).map(([sign, name]) => [sign, name] as const),
  ['▮', 'several requests, with their number'],
  ['┣', 'first promise: the key would have been served from here without its early requests'],
];

/** Dialog with the keyboard shortcuts, the words of the filter and the signs of the timeline. */
export function Help({ onClose }: { onClose(): void }) {
  const part = (title: string, lines: Lines) => (
    <>
      <h3>{title}</h3>
      <dl class="shortcuts">
        {lines.map(([terms, what]) => (
          <div key={terms}>
            <dt>
              {terms.split('  ').map((term) => (
                <kbd key={term}>{term}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </>
  );
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      {part('Keys', shortcuts)}
      {part('Words of the filter, each of which must match', words)}
      {part('Signs of the timeline', signs)}
      <p class="note">
        Drag on the timeline to zoom in, click for a request. Reports open, and HARs and journals (JSON Lines) are
        judged, when they are dropped on the page.
      </p>
    </Dialog>
  );
}
