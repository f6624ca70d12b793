import type { ComponentProps } from 'preact';
import { useState } from 'preact/hooks';

/** Button that submits no form. */
export const Button = (props: ComponentProps<'button'>) => <button type="button" {...props} />;

/** Button that closes a dialog, a drawer or a message. */
export const CloseButton = ({ onClick }: { onClick(): void }) => (
  <Button class="quiet" aria-label="Close" onClick={onClick}>
    ✕
  </Button>
);

/** Link in the dashboard that shows the request with the given number. */
export const RequestLink = ({ id, onRequest }: { id: number; onRequest(id: number): void }) => (
  <Button class="link" onClick={() => onRequest(id)}>
    request {id}
  </Button>
);

/** Text in which each part between backticks is code. */
export const Coded = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>))}</>
);

/** Text in which each source, such as `ccxt/ccxt#2068`, is a link to the issue on GitHub. */
export const Sourced = ({ text }: { text: string }) => (
  <>
    {text.split(/([\w.-]+\/[\w.-]+#\d+)/).map((part, index) =>
      index % 2 === 0 ? (
        part
      ) : (
        <a key={part} href={`https://github.com/${part.replace('#', '/issues/')}`} target="_blank" rel="noreferrer">
          {part}
        </a>
      ),
    )}
  </>
);

type TextInputProps = ComponentProps<'input'> & { onText(text: string): void };

/** Field for one line of text. */
export const TextInput = ({ onText, ...props }: TextInputProps) => (
  <input onInput={(event) => onText(event.currentTarget.value)} {...props} />
);

interface CheckboxProps {
  text: string;
  isChecked: boolean;
  onCheck(isChecked: boolean): void;
}

export const Checkbox = ({ text, isChecked, onCheck }: CheckboxProps) => (
  <label>
    <input type="checkbox" checked={isChecked} onChange={(event) => onCheck(event.currentTarget.checked)} /> {text}
  </label>
);

interface SelectProps {
  /** Name of the selection list for assistive technology, such as screen readers (`aria-label`). */
  name: string;
  value: string | number;
  options: readonly (readonly [value: string | number, text: string])[];
  onSelect(value: string): void;
}

/** Drop-down list (`<select>`) from which the user chooses one option. */
export const Select = ({ name, value, options, onSelect }: SelectProps) => (
  <select aria-label={name} value={value} onChange={(event) => onSelect(event.currentTarget.value)}>
    {options.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </select>
);

interface TextFormProps {
  /** Name of the form's text field, for screen readers. */
  name: string;
  size: number;
  /** Text of the field before the user changes it. */
  initial?: string;
  placeholder?: string | undefined;
  button: string;
  /** Takes the text of the field. @throws {RangeError} with the reason, which the form shows */
  onText(text: string): void;
}

/** Form with a field for one line of text, and the button that submits it. */
export function TextForm({ name, size, initial = '', placeholder, button, onText }: TextFormProps) {
  const [text, setText] = useState(initial);
  const [failure, setFailure] = useState<string>();
  const submit = (event: Event) => {
    event.preventDefault();
    try {
      onText(text.trim());
      setFailure(undefined);
    } catch (error) {
      setFailure((error as RangeError).message);
      // Keeps the form's menu open, so that the user can correct the text.
      event.stopPropagation();
    }
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        aria-label={name}
        aria-invalid={failure !== undefined}
        size={size}
        placeholder={placeholder}
        value={text}
        onText={setText}
      />{' '}
      <button type="submit">{button}</button>
      <span class="bad" role="alert">
        {failure}
      </span>
    </form>
  );
}
