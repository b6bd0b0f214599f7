import { Button } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './copy-text.module.css';
import { Icon } from './icon.tsx';
import { PlainIconButton } from './plain-button.tsx';
import { useCopy } from './use-copy.ts';

// Seldom needed.
const ManualCopy = lazy(async () => ({ default: (await import('./manual-copy.tsx')).ManualCopy }));

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
      <PlainIconButton label={isDone ? t('common.copy.done') : label} title={label} onClick={() => void copy(text)}>
        <Icon name={isDone ? 'check' : 'copy'} />
      </PlainIconButton>
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
    // One part of whatever row it stands in.
    <span className={styles.button}>
      <Button variant={variant} leftSection={<Icon name={isDone ? 'check' : 'copy'} />} onClick={() => void copy(text)}>
        {isDone ? t('common.copy.done') : label}
      </Button>
      <CopyAnnouncement isDone={isDone} />
      {manual !== null && (
        <Suspense fallback={null}>
          <ManualCopy text={manual} onClose={closeManual} />
        </Suspense>
      )}
    </span>
  );
}

/** A short text with its copy icon behind it. `shown` replaces a long or masked one. */
export function CopyText({ text, label, shown, mono = false }: CopyProps & { shown?: string; mono?: boolean }) {
  return (
    <span className={styles.text}>
      <span className={mono ? `${typography.ellipsis} ${styles.mono}` : `${typography.ellipsis} ${styles.plain}`}>{shown ?? text}</span>
      <CopyIcon text={text} label={label} />
    </span>
  );
}

function CopyAnnouncement({ isDone }: { isDone: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={styles.said}>
      <span className="visually-hidden" role="status">
        {isDone ? t('common.copy.done') : ''}
      </span>
    </span>
  );
}
