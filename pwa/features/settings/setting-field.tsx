import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isMapSetting, mapChanges, parseMap } from '#shared/settings.ts';
import type { OptionState } from '#pwa/offline/outbox-entry.ts';
import type { QueuedEdit } from '#pwa/offline/outbox.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { ManagedNote } from '#pwa/ui/controls/managed-by.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { pageAddress } from '#pwa/ui/base-path.ts';
import { defaultOf, isChanged } from './default-values.ts';
import { SettingControl, type SettingControlProps } from './setting-control.tsx';
import { textName } from './setting-entry.ts';
import styles from './setting-field.module.css';
import { useSettingLabels } from './use-setting-labels.ts';

const FieldConflict = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./field-conflict.tsx'), loadTexts('setting_parts', 'limits')]);
    return part;
  },
  (part) => part.FieldConflict,
);
const MapChangesList = lazyPart(
  () => import('./map-changes-list.tsx'),
  (part) => part.MapChangesList,
);

export interface SettingFieldProps extends SettingControlProps {
  /** Value that another editor saved since the typing began. */
  theirs: OptionState | undefined;
  onResolve: (value: string, theirs: OptionState) => void;
}

/** One setting: its field, what it was, and what stands between it and the server. */
export function SettingField(props: SettingFieldProps) {
  const { entry, option, draft, queued, theirs } = props;
  const words = useSettingLabels();
  return (
    <div className={styles.field} data-setting={entry.key} data-control={entry.control}>
      <SettingControl {...props} />
      <FieldNotes {...props} />
      {draft !== undefined && isMapSetting(entry.key) && theirs === undefined && <Changes from={option.value} to={draft.text} />}
      {queued !== undefined && draft === undefined && <Queued edit={queued} server={words.value(entry.key, option.value)} />}
      {draft !== undefined && theirs !== undefined && <FieldConflict {...props} draft={draft} theirs={theirs} />}
    </div>
  );
}

/** Facts about a field apart from its value: who may change it, its effect, its previous value. */
function FieldNotes({ entry, option, draft, queued, mayWrite, onType, onDrop }: SettingFieldProps) {
  const { t } = useTranslation();
  const words = useSettingLabels();
  const initial = defaultOf(option);
  const isLong = isMapSetting(entry.key) || entry.control === 'json' || entry.control === 'long' || entry.control === 'lines';
  const differs = draft === undefined && queued === undefined && isChanged(option) && initial !== undefined;
  return (
    <>
      {entry.warns === true && draft !== undefined && (
        <p className={`${typography.note} ${styles.note}`}>
          <StatusMark status="look">{t(`settings.option.${textName(entry.key)}.warning`)}</StatusMark>
        </p>
      )}
      {entry.key === 'ServerAddress' && mayWrite && option.value === '' && draft === undefined && isReachable(location) && (
        <p className={`${typography.note} ${styles.note}`}>
          <span>{t('settings.this_page', { address: pageAddress() })}</span>
          <Button variant="subtle" onClick={() => onType(pageAddress())}>
            {t('settings.use_this_page')}
          </Button>
        </p>
      )}
      <ManagedNote file={option.managed_by} />
      {!mayWrite && option.managed_by === undefined && (
        <p className={`${typography.note} ${styles.note}`}>
          <StatusMark status="note">{t('settings.root_only')}</StatusMark>
        </p>
      )}
      {draft !== undefined && (
        <p className={`${typography.note} ${styles.note}`}>
          <Button variant="subtle" onClick={onDrop}>
            {t('settings.drop')}
          </Button>
        </p>
      )}
      {differs && (
        <p className={`${typography.note} ${styles.note}`}>
          <span>{isLong ? t('settings.default.differs') : t('settings.default.is', { value: words.value(entry.key, initial) })}</span>
          {mayWrite && (
            <Button variant="subtle" onClick={() => onType(initial)}>
              {t('settings.default.restore')}
            </Button>
          )}
        </p>
      )}
    </>
  );
}

/** Whether others may reach this page by the same address. */
function isReachable({ hostname }: Location): boolean {
  return hostname !== 'localhost' && hostname !== '[::1]' && !hostname.startsWith('127.');
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
    <p className={`${typography.note} ${styles.note}`}>
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
