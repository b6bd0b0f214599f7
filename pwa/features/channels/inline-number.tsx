import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { toastNote } from '#pwa/ui/frame/toast.ts';
import styles from './inline-number.module.css';

interface InlineNumberProps {
  /** Accessible name of the field, which has no visible label. */
  label: string;
  value: number;
  disabled: boolean;
  /** The number behind a text; null: not one, and `problem` says why. */
  parse: (text: string) => number | null;
  problem: string;
  /** What is said of an empty field. */
  emptyProblem: string;
  onSave: (value: number) => Promise<unknown>;
}

/**
 * A number in a row that can be typed over. Enter and leaving save it, only when it changed; Esc brings the old one back. At rest it is
 * a button: browsers look through every text field of a page for what they could fill in, and lay out each hidden row for it.
 */
export function InlineNumber(props: InlineNumberProps) {
  const { label, disabled } = props;
  const { shown, isTyped, isWrong, why, isSaving, open, type, save, handleKey, focusAgain } = useDraft(props);
  // As wide as what stands in it: a field that hides digits shows another number.
  const style = { width: `calc(${shown.length}ch + 14px)` };
  if (!isTyped)
    return (
      <button
        type="button"
        className={styles.number}
        style={style}
        aria-label={`${label}: ${shown}`}
        disabled={disabled}
        ref={focusAgain}
        onClick={open}
      >
        {shown}
      </button>
    );
  return (
    <input
      className={styles.number}
      style={style}
      aria-label={label}
      aria-invalid={isWrong || undefined}
      title={isWrong ? why : undefined}
      inputMode="numeric"
      autoComplete="off"
      // The user opened the field: typing goes into it.
      autoFocus
      disabled={disabled}
      readOnly={isSaving}
      value={shown}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => type(event.currentTarget.value)}
      onBlur={() => void save()}
      onKeyDown={handleKey}
    />
  );
}

/** What is typed, until it is saved or taken back. */
function useDraft({ value, parse, problem, emptyProblem, onSave }: InlineNumberProps) {
  const format = useFormat();
  const [draft, setDraft] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const isReverting = useRef(false);
  const isLeftByKey = useRef(false);
  const why = draft?.trim() === '' ? emptyProblem : problem;
  useEffect(() => setDraft(undefined), [value]);

  async function save(): Promise<void> {
    setOpen(false);
    const isReverted = isReverting.current;
    isReverting.current = false;
    if (draft === undefined) return;
    const next = isReverted ? value : parse(draft);
    if (next === null) {
      toastNote(why);
      return;
    }
    if (next === value) {
      setDraft(undefined);
      return;
    }
    setSaving(true);
    try {
      await onSave(next);
    } catch {
      // The failure has been shown; the row shows the stored value.
      setDraft(undefined);
    } finally {
      setSaving(false);
    }
  }

  function handleKey(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    isLeftByKey.current = true;
    if (event.key === 'Escape') {
      event.stopPropagation();
      isReverting.current = true;
    }
    event.currentTarget.blur();
    if (event.key === 'Escape') setDraft(undefined);
  }

  /** The button is back: keyboard users continue from it. */
  function focusAgain(button: HTMLButtonElement | null): void {
    if (button === null || !isLeftByKey.current) return;
    isLeftByKey.current = false;
    if (document.activeElement === document.body) button.focus({ preventScroll: true });
  }

  return {
    shown: draft ?? format.count(value),
    isTyped: isOpen || draft !== undefined,
    isWrong: draft !== undefined && parse(draft) === null,
    why,
    isSaving,
    open: () => setOpen(true),
    type: setDraft,
    save,
    handleKey,
    focusAgain,
  };
}
