import { Button } from '@mantine/core';
import { type Ref, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { changesOf, isPriceEdit } from './option-drafts.ts';
import styles from './settings.module.css';
import type { SettingEdits } from './use-setting-edits.ts';

interface SaveBarProps {
  edits: SettingEdits;
  options: readonly Option[];
  at: number;
  /** What will be saved is in sight. */
  isReviewing: boolean;
  /** Nothing here is saved unseen: prices. */
  isReviewed: boolean;
  onReview: () => void;
}

/** What became of the edits, and what is done with them, at the foot of the form. */
export function SaveBar({ edits, options, at, isReviewing, isReviewed, onReview }: SaveBarProps) {
  const { t } = useTranslation();
  // Without a network or without a server: either way the edit waits here.
  const isAway = useConnection() !== 'online';
  const count = changesOf(edits.drafts, options);
  const save = useRef<HTMLButtonElement>(null);
  const whileReviewed = isReviewing ? { display: 'none' } : {};
  const isReviewOnly = isReviewed || isPriceEdit(edits.drafts);
  return (
    <footer className={styles.bar}>
      <SaveState edits={edits} at={at} count={count} />
      {count > 0 && <Discard edits={edits} onDone={() => save.current?.focus({ preventScroll: true })} />}
      {isReviewOnly ? (
        <ReviewButton ref={save} {...{ count, isReviewing, onReview }} />
      ) : (
        <>
          {/* What opened the review is there when it closes. */}
          {count > 0 && (
            <Button {...whileReviewed} onClick={onReview}>
              {t('settings.diff.open')}
            </Button>
          )}
          <Button
            ref={save}
            {...whileReviewed}
            variant={count > 0 ? 'filled' : 'default'}
            type="submit"
            loading={edits.isSaving}
            leftSection={isAway ? <Icon name="outbox" /> : null}
          >
            {t(isAway ? 'settings.save_offline' : 'settings.save')}
          </Button>
        </>
      )}
    </footer>
  );
}

/** The same in the head of the screen, where a table takes the whole height. */
export function SaveActions({ edits, options, at, isReviewing, onReview }: Omit<SaveBarProps, 'isReviewed'>) {
  const count = changesOf(edits.drafts, options);
  const review = useRef<HTMLButtonElement>(null);
  return (
    <>
      <SaveState edits={edits} at={at} count={count} />
      {count > 0 && !isReviewing && <Discard edits={edits} onDone={() => review.current?.focus({ preventScroll: true })} />}
      <ReviewButton ref={review} {...{ count, isReviewing, onReview }} />
    </>
  );
}

interface ReviewButtonProps extends Pick<SaveBarProps, 'isReviewing' | 'onReview'> {
  count: number;
  ref: Ref<HTMLButtonElement>;
}

/** Quiet, not off: a price that is being typed becomes a change once its field is left, which this press does. */
function ReviewButton({ count, isReviewing, onReview, ref }: ReviewButtonProps) {
  const { t } = useTranslation();
  return (
    <Button ref={ref} {...(isReviewing ? { display: 'none' } : {})} variant={count > 0 ? 'filled' : 'default'} onClick={onReview}>
      {count > 0 ? t('settings.diff.review', { count }) : t('settings.diff.open')}
    </Button>
  );
}

function Discard({ edits, onDone }: { edits: SettingEdits; onDone: () => void }) {
  const { t } = useTranslation();
  return (
    <Button
      variant="subtle"
      onClick={() => {
        edits.dropAll();
        onDone();
      }}
    >
      {t('editing.discard')}
    </Button>
  );
}

function SaveState({ edits, at, count }: { edits: SettingEdits; at: number; count: number }) {
  const { t } = useTranslation();
  return (
    <span className={`${layout.fill} ${styles.state}`} role="status">
      {edits.outcome?.kind === 'secrets' ? (
        <StatusMark status="offline">{t('settings.secret.stays')}</StatusMark>
      ) : count > 0 ? (
        <span className={styles.unsaved}>{t('editing.unsaved', { count })}</span>
      ) : (
        <Outcome edits={edits} at={at} />
      )}
    </span>
  );
}

function Outcome({ edits: { outcome }, at }: { edits: SettingEdits; at: number }) {
  const { t } = useTranslation();
  const isStale = useConnection() !== 'online';
  switch (outcome?.kind) {
    case 'saved':
      return <StatusMark status="on">{t('settings.saved', { count: outcome.count })}</StatusMark>;
    case 'kept':
      return <StatusMark status="waiting">{t('settings.queued.kept', { count: outcome.count })}</StatusMark>;
    case 'nothing':
      return <StatusMark status="note">{t('settings.nothing_changed')}</StatusMark>;
    default:
      return <AsOf at={at} isStale={isStale} />;
  }
}
