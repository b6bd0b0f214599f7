import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { isMapSetting, mapChanges, parseMap } from '#shared/settings.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { discardEdit, type QueuedEdit, resolveConflict } from '#pwa/offline/outbox.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { MapChangesList } from './map-changes-list.tsx';
import styles from './outbox.module.css';
import { controlOf } from './pages.ts';
import { useSettingLabels } from './use-setting-labels.ts';
import { useValueWords } from './use-value-words.ts';

const ConflictChoice = lazyPart(
  () => import('./conflict-choice.tsx'),
  (part) => part.ConflictChoice,
);
const EditedValue = lazyPart(
  () => import('./edited-value.tsx'),
  (part) => part.EditedValue,
);

interface OutboxEditProps {
  edit: QueuedEdit;
  /** Its place in the order, from 1. */
  number: number;
  /** The edit that stops this one. */
  blockedBy: number | undefined;
  isNext: boolean;
  onDrop: () => void;
}

export function OutboxEdit({ edit, number, blockedBy, isNext, onDrop }: OutboxEditProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useSettingLabels();
  const [isEditing, setEditing] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const at = editedAt();
  // On and off are all there is: discarding is the other value.
  const canEdit = controlOf(edit.optionKey) !== 'switch';
  return (
    // What has the focus in it may go: the next one has it then.
    <li className={`${layout.stackMd} ${styles.edit}`} data-row-key={edit.id} tabIndex={-1}>
      <header className={styles.head}>
        <div className={styles.names}>
          <h2>
            {number} · {words.name(edit.optionKey)}
          </h2>
          <p className={`${typography.compact} ${typography.muted}`}>{t('outbox.edited', { time: at })}</p>
        </div>
        <EditState edit={edit} blockedBy={blockedBy} isNext={isNext} />
      </header>
      {edit.state === 'conflict' && edit.theirs !== undefined ? (
        <>
          <ConflictChoice
            key={edit.theirs.revision}
            settingKey={edit.optionKey}
            base={edit.base}
            mine={edit.mine}
            theirs={edit.theirs}
            mineNote={t('setting_parts.conflict.mine_at', { time: format.clock(edit.editedAt) })}
            verb="save"
            onChoose={(value) => void resolveConflict(edit.id, value)}
            onDrop={() => void discardEdit(edit.id)}
          />
          <Button variant="subtle" data-danger className={styles.discard} onClick={onDrop}>
            {t('outbox.discard_whole')}
          </Button>
        </>
      ) : (
        <>
          {edit.state === 'refused' && (
            <p className={styles.refusal} role="alert">
              {edit.refusal}
            </p>
          )}
          {isEditing ? (
            <EditedValue edit={edit} onDone={handleDone} />
          ) : (
            <div className={`${layout.spread} ${styles.line}`}>
              <Difference edit={edit} />
              <span className={styles.actions}>
                <Button variant="subtle" data-danger className={styles.discard} onClick={onDrop}>
                  {t('outbox.discard')}
                </Button>
                {canEdit && (
                  <Button ref={editButton} onClick={() => setEditing(true)}>
                    {t('outbox.edit')}
                  </Button>
                )}
              </span>
            </div>
          )}
        </>
      )}
    </li>
  );

  function handleDone(): void {
    flushSync(() => setEditing(false));
    editButton.current?.focus({ preventScroll: true });
  }
  function editedAt(): string {
    const isToday = format.dayKey(edit.editedAt) === format.dayKey(Date.now() / 1000);
    return isToday ? t('outbox.today', { time: format.clock(edit.editedAt) }) : format.dateTime(edit.editedAt);
  }
}

function EditState({ edit, blockedBy, isNext }: Pick<OutboxEditProps, 'edit' | 'blockedBy' | 'isNext'>) {
  const { t } = useTranslation();
  const connection = useConnection();
  if (edit.state === 'conflict') return <StatusMark status="conflict">{t('outbox.state_conflict')}</StatusMark>;
  if (edit.state === 'refused') return <StatusMark status="failed">{t('outbox.state_refused')}</StatusMark>;
  if (blockedBy !== undefined) return <StatusMark status="waiting">{t('outbox.state_behind', { number: blockedBy })}</StatusMark>;
  return <StatusMark status="waiting">{t(isNext && connection === 'online' ? 'outbox.state_sending' : 'outbox.state_waiting')}</StatusMark>;
}

function Difference({ edit }: { edit: QueuedEdit }) {
  const words = useValueWords();
  const [before, after] = isMapSetting(edit.optionKey) ? [parseMap(edit.base.value), parseMap(edit.mine)] : [null, null];
  if (before !== null && after !== null) {
    return (
      <div className={styles.difference} data-wide>
        <MapChangesList changes={mapChanges(before, after)} />
      </div>
    );
  }
  return (
    <span className={styles.difference}>
      <span className={typography.muted}>{words.value(edit.optionKey, edit.base.value)} →</span>{' '}
      <b>{words.value(edit.optionKey, edit.mine)}</b>
    </span>
  );
}
