import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import type { Option } from '#shared/options.ts';
import { mayWriteSetting, type SettingKey } from '#shared/settings.ts';
import { optionsQuery } from '#pwa/api/options.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Later } from '#pwa/ui/frame/later.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import type { SettingEntry, SettingSection } from './setting-entry.ts';
import { SettingField } from './setting-field.tsx';
import styles from './settings.module.css';
import { tabs } from './tabs.ts';
import { type SettingEdits, useSettingEdits } from './use-setting-edits.ts';

interface SettingsScreenProps {
  /** Name of the tab that the address asks for. */
  tab: string | undefined;
  /** The setting that a link leads to. */
  field: string | undefined;
  onTab: (name: string) => void;
}

export function SettingsScreen({ tab: name, field, onTab }: SettingsScreenProps) {
  const { t } = useTranslation();
  const query = useQuery(optionsQuery);
  const tab = tabs.find((one) => one.name === name) ?? tabs.find(({ sections }) => hasSetting(sections, field)) ?? tabs[0];
  return (
    <Screen title={t('settings.title')} layout="page">
      <div className={styles.screen}>
        {tabs.length > 1 && (
          <Segments
            label={t('settings.title')}
            value={tab.name}
            options={tabs.map((one) => ({ value: one.name, label: t(`settings.tab.${one.name}`) }))}
            onChange={onTab}
          />
        )}
        <QueryState query={query} what={t('settings.title')} lines={14}>
          {(options) => <SettingsForm sections={tab.sections} options={options} at={query.dataUpdatedAt} field={field} />}
        </QueryState>
      </div>
    </Screen>
  );
}

function hasSetting(sections: readonly SettingSection[], key: string | undefined): boolean {
  return sections.some(({ entries }) => entries.some((entry) => entry.key === key));
}

interface SettingsFormProps {
  sections: readonly SettingSection[];
  options: readonly Option[];
  at: number;
  field: string | undefined;
}

/** One form for all tabs: what was typed in one is still there after a look at another. */
function SettingsForm({ sections, options, at, field }: SettingsFormProps) {
  const { t } = useTranslation();
  const edits = useSettingEdits(options);
  const [askedOff, setAskedOff] = useState<SettingKey>();

  function handleType(entry: SettingEntry, text: string): void {
    if (entry.asksBeforeOff === true && text === 'false') setAskedOff(entry.key);
    else edits.type(entry.key, text);
  }
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void edits.save();
      }}
      onKeyDown={(event) => {
        if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        void edits.save();
      }}
    >
      <UnsavedEdits when={edits.drafts.size > 0} />
      <Sections sections={sections} options={options} edits={edits} wanted={field} onType={handleType} />
      <SaveBar edits={edits} at={at} />
      <ConfirmDialog
        opened={askedOff !== undefined}
        title={t('settings.password_login.title')}
        text={t('settings.password_login.text')}
        confirmLabel={t('settings.password_login.confirm')}
        isDanger
        onConfirm={() => {
          if (askedOff !== undefined) edits.type(askedOff, 'false');
          setAskedOff(undefined);
        }}
        onCancel={() => setAskedOff(undefined)}
      />
    </form>
  );
}

interface SectionsProps {
  sections: readonly SettingSection[];
  options: readonly Option[];
  edits: SettingEdits;
  wanted: string | undefined;
  onType: (entry: SettingEntry, text: string) => void;
}

/** The first one at once, each further one by itself: together they would keep a slow phone busy for half a second. */
function Sections({ sections: [section, ...further], options, edits, wanted, onType }: SectionsProps) {
  const { t } = useTranslation();
  if (section === undefined) return null;
  return (
    <>
      <section className={styles.section} aria-labelledby={`section-${section.name}`}>
        <header className={styles.head}>
          <h2 id={`section-${section.name}`}>{t(`settings.section.${section.name}.title`)}</h2>
          <p>{t(`settings.section.${section.name}.text`)}</p>
        </header>
        <div className={styles.fields}>
          {section.entries.map((entry) => (
            <Field
              key={entry.key}
              entry={entry}
              options={options}
              edits={edits}
              isWanted={entry.key === wanted}
              onType={(text) => onType(entry, text)}
            />
          ))}
        </div>
      </section>
      {further.length > 0 && (
        <Later>
          <Sections sections={further} options={options} edits={edits} wanted={wanted} onType={onType} />
        </Later>
      )}
    </>
  );
}

interface FieldProps {
  entry: SettingEntry;
  options: readonly Option[];
  edits: SettingEdits;
  isWanted: boolean;
  onType: (text: string) => void;
}

function Field({ entry, options, edits, isWanted, onType }: FieldProps) {
  const role = useStoredUser()?.role ?? Role.guest;
  const option = options.find(({ key }) => key === entry.key);
  useEffect(() => {
    if (!isWanted) return;
    const field = document.querySelector(`[data-setting="${CSS.escape(entry.key)}"]`);
    field?.scrollIntoView({ block: 'center' });
    field?.querySelector<HTMLElement>('button, input, textarea')?.focus({ preventScroll: true });
  }, [isWanted, entry.key]);
  // A server that does not know the setting yet.
  if (option === undefined) return null;
  return (
    <SettingField
      entry={entry}
      isWanted={isWanted}
      option={option}
      draft={edits.drafts.get(entry.key)}
      queued={edits.queued.get(entry.key)}
      theirs={edits.theirs.get(entry.key)}
      problem={edits.problems.get(entry.key)}
      mayWrite={mayWriteSetting(entry.key, role)}
      onType={onType}
      onResolve={(value, theirs) => edits.resolve(entry.key, value, theirs)}
      onDrop={() => edits.drop(entry.key)}
    />
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

function SaveBar({ edits, at }: { edits: SettingEdits; at: number }) {
  const { t } = useTranslation();
  // Without a network or without a server: either way the edit waits here.
  const isAway = useConnection() !== 'online';
  const count = edits.drafts.size;
  return (
    <footer className={styles.bar}>
      <span className={styles.state} role="status">
        {count > 0 ? <span className={styles.unsaved}>{t('editing.unsaved', { count })}</span> : <Outcome edits={edits} at={at} />}
      </span>
      {count > 0 && (
        <Button variant="subtle" onClick={edits.dropAll}>
          {t('editing.discard')}
        </Button>
      )}
      <Button variant="filled" type="submit" loading={edits.isSaving} leftSection={isAway ? <Icon name="outbox" /> : null}>
        {t(isAway ? 'settings.save_offline' : 'settings.save')}
      </Button>
    </footer>
  );
}
