import { ActionIcon, Button } from '@mantine/core';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './copy-text.module.css';
import { Icon } from './icon.tsx';

const doneTime = 1600;
// Seldom needed.
const ManualCopy = lazy(async () => ({ default: (await import('./manual-copy.tsx')).ManualCopy }));

/** Copies a text; where the browser refuses, `manual` holds it for a dialog to show. */
export function useCopy(): { copy: (text: string) => Promise<void>; isDone: boolean; manual: string | null; closeManual: () => void } {
  const [isDone, setDone] = useState(false);
  const [manual, setManual] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  async function copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // No permission, or a page without TLS.
      setManual(text);
      return;
    }
    setDone(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setDone(false), doneTime);
  }
  return { copy, isDone, manual, closeManual: () => setManual(null) };
}

interface CopyProps {
  text: string;
  /** What is copied: the button's name. */
  label: string;
}

/** An icon that copies. */
export function CopyIcon({ text, label }: CopyProps) {
  const { t } = useTranslation();
  const { copy, isDone, manual, closeManual } = useCopy();
  return (
    <>
      <ActionIcon aria-label={isDone ? t('common.copy.done') : label} title={label} onClick={() => void copy(text)}>
        <Icon name={isDone ? 'check' : 'copy'} />
      </ActionIcon>
      <CopyAnnouncement isDone={isDone} />
      {manual !== null && (
        <Suspense fallback={null}>
          <ManualCopy text={manual} onClose={closeManual} />
        </Suspense>
      )}
    </>
  );
}

/** A button with a word that copies. */
export function CopyButton({ text, label, variant = 'default' }: CopyProps & { variant?: 'default' | 'subtle' | 'filled' }) {
  const { t } = useTranslation();
  const { copy, isDone, manual, closeManual } = useCopy();
  return (
    <>
      <Button variant={variant} leftSection={<Icon name={isDone ? 'check' : 'copy'} />} onClick={() => void copy(text)}>
        {isDone ? t('common.copy.done') : label}
      </Button>
      <CopyAnnouncement isDone={isDone} />
      {manual !== null && (
        <Suspense fallback={null}>
          <ManualCopy text={manual} onClose={closeManual} />
        </Suspense>
      )}
    </>
  );
}

/** A short text with its copy icon behind it. `shown` replaces a long or masked one. */
export function CopyText({ text, label, shown, mono = false }: CopyProps & { shown?: string; mono?: boolean }) {
  return (
    <span className={styles.text}>
      <span className={mono ? styles.mono : styles.plain}>{shown ?? text}</span>
      <CopyIcon text={text} label={label} />
    </span>
  );
}

function CopyAnnouncement({ isDone }: { isDone: boolean }) {
  const { t } = useTranslation();
  return (
    <span className="visually-hidden" role="status">
      {isDone ? t('common.copy.done') : ''}
    </span>
  );
}
