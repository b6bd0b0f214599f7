import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { OptionState } from '#pwa/offline/outbox-entry.ts';
import type { QueuedEdit } from '#pwa/offline/outbox.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { ConflictChoice } from './conflict-choice.tsx';
import { SettingControl, type SettingControlProps } from './setting-control.tsx';
import { textName } from './setting-entry.ts';
import { MapChangesList } from './map-changes-list.tsx';
import { isMapSetting, mapChanges, parseMap } from './setting-texts.ts';
import styles from './settings.module.css';
import { useSettingLabels } from './use-setting-labels.ts';

interface SettingFieldProps extends SettingControlProps {
  /** What somebody else made of it since the typing began. */
  theirs: OptionState | undefined;
  onResolve: (value: string, theirs: OptionState) => void;
  onDrop: () => void;
}

/** One setting: its field, what it was, and what stands between it and the server. */
export function SettingField(props: SettingFieldProps) {
  const { entry, option, draft, queued, theirs, mayWrite, onResolve, onDrop } = props;
  const { t } = useTranslation();
  const words = useSettingLabels();
  const id = textName(entry.key);
  return (
    <div className={styles.field} data-setting={entry.key} data-control={entry.control}>
      <SettingControl {...props} />
      {entry.warns === true && draft !== undefined && (
        <p className={styles.line}>
          <StatusMark status="look">{t(`settings.option.${id}.warning`)}</StatusMark>
        </p>
      )}
      {!mayWrite && (
        <p className={styles.line}>
          <StatusMark status="note">{t('settings.root_only')}</StatusMark>
        </p>
      )}
      {draft !== undefined && isMapSetting(entry.key) && theirs === undefined && <Changes from={option.value} to={draft.text} />}
      {queued !== undefined && draft === undefined && <Queued edit={queued} server={words.value(entry.key, option.value)} />}
      {draft !== undefined && theirs !== undefined && (
        <section className={styles.conflict} role="alert">
          <StatusMark status="conflict" strong>
            {t('settings.conflict.at_field')}
          </StatusMark>
          <ConflictChoice
            // A newer value of theirs asks anew.
            key={theirs.revision}
            settingKey={entry.key}
            base={draft.base}
            mine={draft.text}
            theirs={theirs}
            mineNote={t('settings.conflict.mine_now')}
            verb="use"
            onChoose={(value) => onResolve(value, theirs)}
            onDrop={onDrop}
          />
        </section>
      )}
    </div>
  );
}

function Changes({ from, to }: { from: string; to: string }): ReactNode {
  const [before, after] = [parseMap(from), parseMap(to)];
  if (before === null || after === null) return null;
  return <MapChangesList changes={mapChanges(before, after)} />;
}

/** An edit of an earlier moment that has not reached the server. */
function Queued({ edit, server }: { edit: QueuedEdit; server: string }) {
  const { t } = useTranslation();
  const isMap = isMapSetting(edit.optionKey);
  return (
    <p className={styles.line}>
      {edit.state === 'waiting' && (
        <StatusMark status="waiting">
          {isMap ? t('settings.queued.waiting') : t('settings.queued.waiting_value', { value: server })}
        </StatusMark>
      )}
      {edit.state === 'conflict' && <StatusMark status="conflict">{t('settings.queued.conflict')}</StatusMark>}
      {edit.state === 'refused' && <StatusMark status="failed">{edit.refusal ?? t('settings.queued.refused')}</StatusMark>}
      <Link className={styles.link} to="/outbox">
        {t('settings.queued.open')}
      </Link>
    </p>
  );
}
