import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, CloseButton } from './controls.js';

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
  ['u', 'undo the latest change, or redo it'],
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
