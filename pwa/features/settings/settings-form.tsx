import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import type { SettingKey } from '#shared/settings.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { useIsPhone, useIsTouched } from '#pwa/ui/frame/breakpoint.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { useSaveKey } from '#pwa/ui/frame/use-save-key.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { isChanged } from './default-values.ts';
import { changesOf, isPriceEdit } from './option-drafts.ts';
import { entriesOf } from './pages.ts';
import { type PriceView, PriceViewChoice } from './price-view-choice.tsx';
import { PricesShape } from './prices-shape.tsx';
import { SaveBar } from './save-bar.tsx';
import type { SettingEntry, SettingPage } from './setting-entry.ts';
import { SettingFields, type SettingFieldsProps } from './setting-fields.tsx';
import styles from './settings.module.css';
import type { SettingEdits } from './use-setting-edits.ts';

const TestMail = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./test-mail.tsx'), loadTexts('setting_parts')]);
    return part;
  },
  (part) => part.TestMail,
);
// Confirms leaving unsaved edits, of which there are none yet.
const UnsavedEdits = lazyPart(
  () => import('#pwa/ui/form/unsaved-edits.tsx'),
  (part) => part.UnsavedEdits,
);
const FoundFields = lazyPart(
  () => import('./found-fields.tsx'),
  (part) => part.FoundFields,
);
const ConfirmDialog = lazyPart(
  () => import('#pwa/ui/frame/confirm-dialog.tsx'),
  (part) => part.ConfirmDialog,
);
const PriceEditor = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./price-editor.tsx'), loadTexts('prices', 'price-lines')]);
    return part;
  },
  (part) => part.PriceEditor,
  <PricesShape />,
);

const TableEditor = lazyPart(
  () => import('./table-editor.tsx'),
  (part) => part.TableEditor,
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

/** One form for all pages: what was typed in one is still there after a look at another. */
export function SettingsForm(props: SettingsFormProps) {
  const { page, search, options, edits, field, isReviewing, onReview, onSave } = props;
  const { t } = useTranslation();
  const [turningOff, setTurningOff] = useState<SettingKey>();
  const isTouched = useIsTouched();

  function handleType(entry: SettingEntry, text: string): void {
    if (entry.confirmsOff === true && text === 'false') setTurningOff(entry.key);
    else edits.type(entry.key, text);
  }
  /** More than one value is looked at before it is saved, and every price is. */
  function handleSave(): void {
    if (!isReviewing && (isPriceEdit(edits.drafts) || changesOf(edits.drafts, options) > 1)) onReview();
    else onSave();
  }
  useSaveKey(handleSave);
  const shared = { options, edits, wanted: field, onType: handleType };
  return (
    <form
      className={`${layout.fill} ${styles.form}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        handleSave();
      }}
    >
      <UnsavedEdits when={edits.drafts.size > 0} />
      <div className={styles.scroll}>
        {search.trim() === '' ? (
          <PageFields key={page.name} page={page} view={props.view} onView={props.onView} onReview={onReview} {...shared} />
        ) : (
          <FoundFields search={search} {...shared} />
        )}
      </div>
      {/* Of the table of prices it stands in the head of the screen. */}
      {(isTouched || page.name !== 'prices' || search.trim() !== '') && (
        <SaveBar
          edits={edits}
          options={options}
          at={props.at}
          isReviewing={isReviewing}
          isReviewed={page.name === 'prices'}
          onReview={onReview}
        />
      )}
      {turningOff !== undefined && (
        <ConfirmDialog
          opened
          title={t('settings.password_login.title')}
          text={t('settings.password_login.text')}
          confirmLabel={t('settings.password_login.confirm')}
          isDanger
          onConfirm={() => {
            edits.type(turningOff, 'false');
            setTurningOff(undefined);
          }}
          onCancel={() => setTurningOff(undefined)}
        />
      )}
    </form>
  );
}

type FieldsProps = Omit<SettingFieldsProps, 'sections'>;
type PageFieldsProps = FieldsProps & Pick<SettingsFormProps, 'page' | 'view' | 'onView' | 'onReview'>;

function PageFields({ page, view, onView, onReview, ...shared }: PageFieldsProps) {
  const { t } = useTranslation();
  const [filter, setFilter] = useState<'all' | 'changed'>('all');
  const entries = entriesOf(page);
  const isPrices = page.name === 'prices';
  const isTable = isPrices && view === 'table';
  const isPhone = useIsPhone();
  const changed = new Set(shared.options.filter(isChanged).map(({ key }) => key));
  const changedHere = entries.filter(({ key }) => changed.has(key)).length;
  const isFiltered = filter === 'changed' && changedHere > 0;
  const sections = page.sections.map((section) => ({
    ...section,
    entries: isFiltered ? section.entries.filter(({ key }) => changed.has(key)) : section.entries,
  }));
  const isLimits = page.name === 'ratelimit';
  const isTwofold = page.name === 'groups' || page.name === 'chats' || isLimits;
  const isListed = (key: SettingKey): boolean => !isLimits || key === 'SiteRateLimits' || key === 'SiteBudgets';
  // What is wrong with limits is shown in their editor.
  const isJsonWanted = ({ key }: SettingEntry): boolean => (isLimits ? shared.edits.theirs.has(key) : needsLook(key, shared));
  const fieldsOf = (shown: typeof sections) => (
    <SettingFields
      sections={shown
        .filter((section) => section.entries.length > 0)
        .map((section) => ({
          title: section.name === undefined ? undefined : t(`settings.section.${section.name}`),
          entries: section.entries,
        }))}
      {...shared}
    />
  );
  const fields = fieldsOf(isLimits ? sections.filter(({ entries: all }) => all.every(({ key }) => isListed(key))) : sections);
  return (
    <>
      <header className={`${layout.spread} ${styles.head}`} data-quiet={isPrices || undefined}>
        {/* A larger screen says it at its top. */}
        {(!isPrices || (isPhone && !isTable)) && <h2>{t(`settings.page.${page.name}`)}</h2>}
        {isPrices && isPhone && !isTable && <PriceViewChoice view={view} onView={onView} />}
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
        <PriceEditor options={shared.options} edits={shared.edits} onReview={onReview} onJson={() => onView('json')} />
      ) : (
        <>
          {isLimits && fieldsOf(sections.filter(({ entries: all }) => !all.every(({ key }) => isListed(key))))}
          {isTwofold && <TableEditor page={page.name} {...shared} />}
          {isTwofold ? (
            // What the table holds, as it is stored: for what has to be copied or looked at closely.
            <div className={styles.stored}>
              <Fold title="JSON" beginsOpen={isFiltered} needsLook={entries.some((entry) => isListed(entry.key) && isJsonWanted(entry))}>
                {() => fields}
              </Fold>
            </div>
          ) : (
            fields
          )}
        </>
      )}
      {page.name === 'mail' && <TestMail />}
    </>
  );
}

/** A link points there, or a decision is needed: both are shown at the setting. */
function needsLook(key: SettingKey, { wanted, edits }: FieldsProps): boolean {
  return key === wanted || edits.theirs.has(key) || edits.problems.has(key);
}
