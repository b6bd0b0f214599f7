import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { optionsQuery } from '#pwa/api/options.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { BottomSheet } from '#pwa/ui/frame/bottom-sheet.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { isElsewhere } from '#pwa/ui/list/list-keys.ts';
import { SummaryItem } from '#pwa/ui/frame/page-header.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { type Shortcut, useShortcuts } from '#pwa/ui/frame/shortcuts.ts';
import { isChanged } from './default-values.ts';
import { changesOf } from './option-drafts.ts';
import { entriesOf, pageOfAddress, pages } from './pages.ts';
import { type PageMarks, SettingsNav, SettingsSearch } from './settings-nav.tsx';
import { type PriceView, SettingsForm } from './settings-form.tsx';
import styles from './settings.module.css';
import { type SettingEdits, useSettingEdits } from './use-setting-edits.ts';

/** What stands beside the settings. */
export type SettingsPanel = 'history' | 'diff';

interface SettingsScreenProps {
  /** Name of the page, or of the tab, that the address asks for. */
  tab: string | undefined;
  /** The setting that a link leads to. */
  field: string | undefined;
  view: string | undefined;
  panel: string | undefined;
  onView: (view: PriceView) => void;
  onPanel: (panel: SettingsPanel | undefined) => void;
}

const SettingsDiff = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./settings-diff.tsx'), loadTexts('prices')]);
    return part;
  },
  (part) => part.SettingsDiff,
);
const SettingsHistory = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./settings-history.tsx'), loadTexts('setting_parts', 'outbox')]);
    return part;
  },
  (part) => part.SettingsHistory,
);

const noOptions: readonly Option[] = [];

export function SettingsScreen({ tab, field, view, panel, onView, onPanel }: SettingsScreenProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const query = useQuery(optionsQuery);
  const options = query.data ?? noOptions;
  const edits = useSettingEdits(options);
  const [search, setSearch] = useState('');
  const [isMenuOpen, setMenuOpen] = useState(false);
  const input = useSearchKey();
  const page = pageOfAddress(tab, field);
  const marksOf = useMarks(options, edits);
  const changed = options.filter(isChanged).length;
  const nav = <SettingsNav current={search === '' ? page.name : undefined} marksOf={marksOf} onChoose={handleChoose} />;
  const find = <SettingsSearch value={search} onChange={setSearch} input={input} />;

  function handleChoose(): void {
    setSearch('');
    setMenuOpen(false);
  }
  async function handleSave(): Promise<void> {
    await edits.save();
    if (panel === 'diff') onPanel(undefined);
  }
  return (
    <Screen
      title={t('settings.title')}
      facts={changed > 0 && <SummaryItem label={t('settings.changed')}>{changed}</SummaryItem>}
      actions={
        <Button
          leftSection={<Icon name="list" />}
          aria-pressed={panel === 'history'}
          onClick={() => onPanel(panel === 'history' ? undefined : 'history')}
        >
          {t('settings.history.title')}
        </Button>
      }
      {...(isPhone ? { filters: <MenuButton page={page.name} onOpen={() => setMenuOpen(true)} /> } : {})}
      panel={
        panel === 'history' ? (
          <SettingsHistory keys={entriesOf(page).map(({ key }) => key)} onClose={() => onPanel(undefined)} />
        ) : panel === 'diff' ? (
          <SettingsDiff edits={edits} options={options} onSave={() => void handleSave()} onClose={() => onPanel(undefined)} />
        ) : null
      }
    >
      <div className={styles.screen}>
        {isPhone && find}
        {isPhone ? (
          <BottomSheet opened={isMenuOpen} title={t('settings.title')} onClose={() => setMenuOpen(false)}>
            {nav}
          </BottomSheet>
        ) : (
          // The table keeps its columns beside what will be saved of it.
          <div className={styles.side} data-aside={(panel === 'diff' && page.name === 'prices') || undefined}>
            {find}
            {nav}
          </div>
        )}
        <QueryState query={query} what={t('settings.title')} lines={14}>
          {(loaded) => (
            <SettingsForm
              page={page}
              search={search}
              options={loaded}
              at={query.dataUpdatedAt}
              field={field}
              // A link to one of the maps leads to its text.
              view={view === 'json' || (view === undefined && field !== undefined) ? 'json' : 'table'}
              onView={onView}
              edits={edits}
              isReviewing={panel === 'diff'}
              onReview={() => onPanel('diff')}
              onSave={() => void handleSave()}
            />
          )}
        </QueryState>
      </div>
    </Screen>
  );
}

/** On a phone the pages stand in a sheet behind the name of the one that is open. */
function MenuButton({ page, onOpen }: { page: string; onOpen: () => void }) {
  const { t } = useTranslation();
  return (
    <Button rightSection={<Icon name="down" />} onClick={onOpen}>
      {t(`settings.page.${page}`)}
    </Button>
  );
}

const settingKeys: readonly Shortcut[] = [{ keys: ['/'], text: 'palette.key.search' }];

/** `/` leads to the search. */
function useSearchKey() {
  useShortcuts(settingKeys);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.defaultPrevented || event.ctrlKey || event.metaKey || isElsewhere(event.target)) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', handleKey);
    return () => document.removeEventListener('keydown', handleKey);
  }, []);
  return input;
}

/** What the list of pages says of each. */
function useMarks(options: readonly Option[], edits: SettingEdits): (page: string) => PageMarks {
  const changed = new Set(options.filter(isChanged).map(({ key }) => key));
  return (name) => {
    const page = pages.find((one) => one.name === name);
    const keys = page === undefined ? [] : entriesOf(page).map(({ key }) => key);
    return {
      changed: keys.filter((key) => changed.has(key)).length,
      unsaved: changesOf(new Map([...edits.drafts].filter(([key]) => keys.includes(key))), options),
      queued: keys.filter((key) => edits.queued.has(key)).length,
    };
  };
}
