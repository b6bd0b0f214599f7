import { useEffect, useRef, useState } from 'react';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { toastNote } from '#pwa/ui/frame/toast.ts';
import styles from './inline-number.module.css';

interface InlineNumberProps {
  /** Names the field: there is no label beside it. */
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
export function InlineNumber({ label, value, disabled, parse, problem, emptyProblem, onSave }: InlineNumberProps) {
  const format = useFormat();
  const [draft, setDraft] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const isReverting = useRef(false);
  const isLeftByKey = useRef(false);
  const shown = draft ?? format.count(value);
  const why = draft?.trim() === '' ? emptyProblem : problem;
  const isWrong = draft !== undefined && parse(draft) === null;
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
      // The failure has been shown; the row keeps what the server has.
      setDraft(undefined);
    } finally {
      setSaving(false);
    }
  }

  function takeFocusBack(button: HTMLButtonElement | null): void {
    if (button === null || !isLeftByKey.current) return;
    isLeftByKey.current = false;
    if (document.activeElement === document.body) button.focus({ preventScroll: true });
  }

  // As wide as what stands in it: a field that hides digits shows another number.
  const style = { width: `calc(${shown.length}ch + 14px)` };
  if (!isOpen && draft === undefined)
    return (
      <button
        type="button"
        className={styles.number}
        style={style}
        aria-label={`${label}: ${shown}`}
        disabled={disabled}
        ref={takeFocusBack}
        onClick={() => setOpen(true)}
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
      // It was asked for: what is typed next goes here.
      autoFocus
      disabled={disabled}
      readOnly={isSaving}
      value={shown}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={() => void save()}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        isLeftByKey.current = true;
        if (event.key === 'Escape') {
          event.stopPropagation();
          isReverting.current = true;
        }
        event.currentTarget.blur();
        if (event.key === 'Escape') setDraft(undefined);
      }}
    />
  );
}
