import { NumberInput, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { settings } from '#shared/settings.ts';
import type { SettingProblem } from '#shared/setting-values.ts';
import type { OptionState } from '#pwa/offline/outbox-entry.ts';
import type { QueuedEdit } from '#pwa/offline/outbox.ts';
import { EditLabel } from '#pwa/ui/form/edit-label.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { JsonField } from '#pwa/ui/form/json-field.tsx';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { ConflictChoice } from './conflict-choice.tsx';
import { type SettingEntry, textName } from './setting-entry.ts';
import { MapChangesList } from './map-changes-list.tsx';
import type { Draft } from './option-drafts.ts';
import { editableText, isMapSetting, mapChanges, parseMap } from './setting-texts.ts';
import styles from './settings.module.css';
import { useSettingLabels } from './use-setting-labels.ts';

interface SettingFieldProps {
  entry: SettingEntry;
  /** A link leads to it: it stands open. */
  isWanted: boolean;
  option: Option;
  draft: Draft | undefined;
  /** An earlier edit that waits to be sent. */
  queued: QueuedEdit | undefined;
  /** What somebody else made of it since the typing began. */
  theirs: OptionState | undefined;
  problem: SettingProblem | undefined;
  mayWrite: boolean;
  onType: (text: string) => void;
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
      <Control {...props} />
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

function Control({ entry, isWanted, option, draft, queued, problem, mayWrite, onType }: SettingFieldProps) {
  const { t } = useTranslation();
  const words = useSettingLabels();
  const { key } = entry;
  const id = textName(key);
  const before = queued?.mine ?? option.value;
  const text = draft?.text ?? editableText(key, before);
  const error = problem === undefined ? undefined : words.problem(problem);
  const isShort = entry.control === 'text' || entry.control === 'number' || entry.control === 'quota';
  const was = draft === undefined ? undefined : isShort ? words.value(key, before) : (true as const);
  const label = <EditLabel was={was}>{t(`settings.option.${id}.label`)}</EditLabel>;
  const hint = t(`settings.option.${id}.hint`);
  const common = { label, error, disabled: !mayWrite } as const;
  const below = { description: hint, inputWrapperOrder: ['label', 'input', 'error', 'description'] as const };

  switch (entry.control) {
    case 'switch':
      return (
        <SwitchRow
          label={label}
          description={hint}
          error={error}
          disabled={!mayWrite}
          checked={text === 'true' || text === '1'}
          onChange={(event) => onType(String(event.currentTarget.checked))}
        />
      );
    case 'quota':
      return (
        <>
          <QuotaInput
            {...common}
            value={text.trim() === '' || !Number.isFinite(Number(text)) ? '' : Number(text)}
            onChange={(units) => onType(String(units))}
          />
          <span className={styles.hint}>{hint}</span>
        </>
      );
    case 'number':
      return (
        <NumberInput
          {...common}
          {...below}
          inputWrapperOrder={[...below.inputWrapperOrder]}
          value={text}
          thousandSeparator=","
          valueIsNumericString
          clampBehavior="none"
          inputMode="decimal"
          onChange={(value) => onType(String(value))}
        />
      );
    case 'choice':
      return (
        <div className={styles.choice}>
          <span className={styles.choiceLabel}>{label}</span>
          <Segments
            label={t(`settings.option.${id}.label`)}
            value={text}
            options={(settings[key].choices ?? []).map((value) => ({ value, label: t(`settings.choice.${id}.${value}`) }))}
            onChange={(value) => {
              if (mayWrite) onType(value);
            }}
          />
          <span className={styles.hint}>{hint}</span>
        </div>
      );
    case 'json': {
      const entries = parseMap(text);
      return (
        <Fold
          title={label}
          aside={entries === null ? undefined : t('settings.entries', { count: entries.size })}
          beginsOpen={isWanted}
          needsLook={draft !== undefined || queued !== undefined || error !== undefined}
        >
          <JsonField label={hint} value={text} onChange={onType} error={error} disabled={!mayWrite} minRows={6} />
        </Fold>
      );
    }
    default:
      return (
        <TextInput
          {...common}
          {...below}
          inputWrapperOrder={[...below.inputWrapperOrder]}
          value={text}
          inputMode={settings[key].kind === 'url' ? 'url' : 'text'}
          placeholder={settings[key].kind === 'url' ? 'https://' : ''}
          autoComplete="off"
          onChange={(event) => onType(event.currentTarget.value)}
        />
      );
  }
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
