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

/** A number in a row that can be typed over. Enter and leaving save it, only when it changed; Esc brings the old one back. */
export function InlineNumber({ label, value, disabled, parse, problem, emptyProblem, onSave }: InlineNumberProps) {
  const format = useFormat();
  const [draft, setDraft] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const isReverting = useRef(false);
  const shown = draft ?? format.count(value);
  const why = draft?.trim() === '' ? emptyProblem : problem;
  const isWrong = draft !== undefined && parse(draft) === null;
  useEffect(() => setDraft(undefined), [value]);

  async function save(): Promise<void> {
    if (draft === undefined) return;
    const next = isReverting.current ? value : parse(draft);
    isReverting.current = false;
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

  return (
    <input
      className={styles.number}
      // As wide as what stands in it: a field that hides digits shows another number.
      style={{ width: `calc(${shown.length}ch + 14px)` }}
      aria-label={label}
      aria-invalid={isWrong || undefined}
      title={isWrong ? why : undefined}
      inputMode="numeric"
      autoComplete="off"
      disabled={disabled}
      readOnly={isSaving}
      value={shown}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={() => void save()}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') {
          event.stopPropagation();
          isReverting.current = true;
          event.currentTarget.blur();
          setDraft(undefined);
        }
      }}
    />
  );
}
