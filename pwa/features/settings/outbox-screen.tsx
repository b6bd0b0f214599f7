import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { discardEdit, type QueuedEdit, replayOutbox, useOutbox } from '#pwa/offline/outbox.ts';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { OutboxEdit } from './outbox-edit.tsx';
import styles from './outbox.module.css';
import { useSettingLabels } from './use-setting-labels.ts';

/** Edits that have not reached the server, in the order in which they go out. */
export function OutboxScreen() {
  const { t } = useTranslation();
  const words = useSettingLabels();
  const edits = useOutbox();
  const connection = useConnection();
  const isAdmin = (useStoredUser()?.role ?? 0) >= Role.admin;
  const [dropping, setDropping] = useState<QueuedEdit>();
  const stop = edits.findIndex((edit) => edit.state !== 'waiting');
  const stopState = edits[stop]?.state;

  const lead =
    edits.length === 0
      ? undefined
      : stopState !== undefined
        ? t(stopState === 'conflict' ? 'outbox.stopped_conflict' : 'outbox.stopped_refused', { number: stop + 1 })
        : t(`outbox.lead_${connection}`);

  return (
    <Screen title={t('outbox.title')} layout="page" back={isAdmin ? '/setting' : '/personal'}>
      {edits.length === 0 ? (
        <div className={styles.empty}>
          <b>{t('outbox.empty_title')}</b>
          <p>{t('outbox.empty_text')}</p>
        </div>
      ) : (
        <>
          <p className={styles.lead} role="status">
            {lead}
            {stopState === undefined && connection === 'server_away' && (
              <Button onClick={() => void replayOutbox()}>{t('common.action.retry')}</Button>
            )}
          </p>
          <ol className={styles.edits}>
            {edits.map((edit, index) => (
              <OutboxEdit
                key={edit.id}
                edit={edit}
                number={index + 1}
                blockedBy={stop !== -1 && index > stop ? stop + 1 : undefined}
                isNext={index === 0}
                onDrop={() => setDropping(edit)}
              />
            ))}
          </ol>
        </>
      )}
      {dropping !== undefined && (
        <ConfirmDialog
          opened
          title={t('outbox.discard_title', { name: words.name(dropping.optionKey) })}
          text={t('outbox.discard_text')}
          confirmLabel={t('outbox.discard')}
          isDanger
          onConfirm={async () => {
            await discardEdit(dropping.id);
            setDropping(undefined);
          }}
          onCancel={() => setDropping(undefined)}
        />
      )}
    </Screen>
  );
}
