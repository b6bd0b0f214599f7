import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import type { SettingKey } from '#shared/settings.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { useSaveKey } from '#pwa/ui/frame/use-save-key.ts';
import { isChanged } from './default-values.ts';
import { changesOf } from './option-drafts.ts';
import { entriesOf } from './pages.ts';
import type { SettingEntry, SettingPage } from './setting-entry.ts';
import { SettingFields } from './setting-fields.tsx';
import { useSettingSearch } from './setting-search.ts';
import styles from './settings.module.css';
import type { SettingEdits } from './use-setting-edits.ts';

const TestMail = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./test-mail.tsx'), loadTexts('setting_parts')]);
    return part;
  },
  (part) => part.TestMail,
);
const PriceEditor = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./price-editor.tsx'), loadTexts('prices')]);
    return part;
  },
  (part) => part.PriceEditor,
);

const GroupEditor = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./group-editor.tsx'), loadTexts('setting_parts')]);
    return part;
  },
  (part) => part.GroupEditor,
);
const ChatEditor = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./chat-editor.tsx'), loadTexts('setting_parts')]);
    return part;
  },
  (part) => part.ChatEditor,
);

interface SettingsFormProps {
  page: SettingPage;
  /** What is looked for; '' : the page is shown. */
  search: string;
  options: readonly Option[];
  at: number;
  field: string | undefined;
  /** How prices are shown. */
  view: PriceView;
  onView: (view: PriceView) => void;
  edits: SettingEdits;
  /** What will be saved is in sight. */
  isReviewing: boolean;
  onReview: () => void;
  onSave: () => void;
}

export type PriceView = 'table' | 'json';

/** One form for all pages: what was typed in one is still there after a look at another. */
export function SettingsForm(props: SettingsFormProps) {
  const { page, search, options, edits, field, isReviewing, onReview, onSave } = props;
  const { t } = useTranslation();
  const [askedOff, setAskedOff] = useState<SettingKey>();

  function handleType(entry: SettingEntry, text: string): void {
    if (entry.asksBeforeOff === true && text === 'false') setAskedOff(entry.key);
    else edits.type(entry.key, text);
  }
  /** More than one value is looked at before it is saved. */
  function handleSave(): void {
    if (!isReviewing && changesOf(edits.drafts, options) > 1) onReview();
    else onSave();
  }
  useSaveKey(handleSave);
  const shared = { options, edits, wanted: field, onType: handleType };
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        handleSave();
      }}
    >
      <UnsavedEdits when={edits.drafts.size > 0} />
      <div className={styles.scroll}>
        {search.trim() === '' ? (
          <PageFields key={page.name} page={page} view={props.view} onView={props.onView} {...shared} />
        ) : (
          <FoundFields search={search} {...shared} />
        )}
      </div>
      <SaveBar edits={edits} options={options} at={props.at} isReviewing={isReviewing} onReview={onReview} />
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

interface FieldsProps {
  options: readonly Option[];
  edits: SettingEdits;
  wanted: string | undefined;
  onType: (entry: SettingEntry, text: string) => void;
}

type PageFieldsProps = FieldsProps & Pick<SettingsFormProps, 'page' | 'view' | 'onView'>;

function PageFields({ page, view, onView, ...shared }: PageFieldsProps) {
  const { t } = useTranslation();
  const [filter, setFilter] = useState<'all' | 'changed'>('all');
  const entries = entriesOf(page);
  const isPrices = page.name === 'prices';
  const isTable = isPrices && view === 'table';
  const changed = new Set(shared.options.filter(isChanged).map(({ key }) => key));
  const changedHere = entries.filter(({ key }) => changed.has(key)).length;
  const isFiltered = filter === 'changed' && changedHere > 0;
  const sections = page.sections.map((section) => ({
    ...section,
    entries: isFiltered ? section.entries.filter(({ key }) => changed.has(key)) : section.entries,
  }));
  return (
    <>
      <header className={styles.head}>
        <h2>{t(`settings.page.${page.name}`)}</h2>
        {isPrices && (
          <Segments
            label={t('settings.prices.view')}
            value={view}
            options={[
              { value: 'table', label: t('settings.prices.table') },
              { value: 'json', label: 'JSON' },
            ]}
            onChange={onView}
          />
        )}
        {changedHere > 0 && !isTable && (
          <Segments
            label={t('settings.filter.label')}
            value={filter}
            options={[
              { value: 'all', label: t('settings.filter.all', { count: entries.length }) },
              { value: 'changed', label: t('settings.filter.changed', { count: changedHere }) },
            ]}
            onChange={setFilter}
          />
        )}
      </header>
      {isTable ? (
        <PriceEditor options={shared.options} edits={shared.edits} />
      ) : (
        <>
          {page.name === 'groups' && <GroupEditor options={shared.options} edits={shared.edits} />}
          {page.name === 'chats' && <ChatEditor options={shared.options} edits={shared.edits} />}
          <SettingFields
            sections={sections
              .filter((section) => section.entries.length > 0)
              .map((section) => ({
                title: section.name === undefined ? undefined : t(`settings.section.${section.name}`),
                entries: section.entries,
              }))}
            {...shared}
          />
        </>
      )}
      {page.name === 'mail' && <TestMail />}
    </>
  );
}

function FoundFields({ search, ...shared }: FieldsProps & { search: string }) {
  const { t } = useTranslation();
  const found = useSettingSearch()(search);
  const count = found.reduce((sum, { entries }) => sum + entries.length, 0);
  return (
    <>
      <header className={styles.head}>
        <h2 role="status">{t('settings.search.found', { count })}</h2>
      </header>
      {count === 0 && <p className={styles.nothing}>{t('settings.search.nothing')}</p>}
      <SettingFields sections={found.map(({ page, entries }) => ({ title: t(`settings.page.${page}`), entries }))} {...shared} />
    </>
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

interface SaveBarProps extends Pick<SettingsFormProps, 'edits' | 'options' | 'at' | 'isReviewing' | 'onReview'> {}

function SaveBar({ edits, options, at, isReviewing, onReview }: SaveBarProps) {
  const { t } = useTranslation();
  // Without a network or without a server: either way the edit waits here.
  const isAway = useConnection() !== 'online';
  const count = changesOf(edits.drafts, options);
  const save = useRef<HTMLButtonElement>(null);
  const isSecretLeft = edits.outcome?.kind === 'secrets';
  const whileReviewed = isReviewing ? { display: 'none' } : {};
  function handleDropAll(): void {
    edits.dropAll();
    save.current?.focus({ preventScroll: true });
  }
  return (
    <footer className={styles.bar}>
      <span className={styles.state} role="status">
        {isSecretLeft ? (
          <StatusMark status="offline">{t('settings.secret.stays')}</StatusMark>
        ) : count > 0 ? (
          <span className={styles.unsaved}>{t('editing.unsaved', { count })}</span>
        ) : (
          <Outcome edits={edits} at={at} />
        )}
      </span>
      {count > 0 && (
        <Button variant="subtle" onClick={handleDropAll}>
          {t('editing.discard')}
        </Button>
      )}
      {/* What opened the review is there when it closes. */}
      {count > 0 && (
        <Button {...whileReviewed} onClick={onReview}>
          {t('settings.diff.open')}
        </Button>
      )}
      {/* Quiet, not off: a price that is being typed becomes a change once its field is left, which this press does. */}
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
    </footer>
  );
}
