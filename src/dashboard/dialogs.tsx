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
