import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { optionsQuery } from '#pwa/api/options.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { BottomSheet } from '#pwa/ui/frame/bottom-sheet.tsx';
import { useIsPhone, useIsTouched } from '#pwa/ui/frame/breakpoint.ts';
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
import { type PriceView, PriceViewChoice } from './price-view-choice.tsx';
import { SaveActions } from './save-bar.tsx';
import { SettingsForm } from './settings-form.tsx';
import type { SettingPage } from './setting-entry.ts';
import styles from './settings.module.css';
import { type SettingEdits, useSettingEdits } from './use-setting-edits.ts';

/** Panel next to the settings. */
export type SettingsPanel = 'history' | 'diff' | 'files';

interface SettingsScreenProps {
  /** Name of the page, or of the tab, in the address. */
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
    const [part] = await Promise.all([import('./settings-diff.tsx'), loadTexts('prices', 'limits')]);
    return part;
  },
  (part) => part.SettingsDiff,
);
const SettingsHistory = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./settings-history.tsx'), loadTexts('setting_parts', 'outbox', 'limits')]);
    return part;
  },
  (part) => part.SettingsHistory,
);

const ManagingFiles = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./managing-files.tsx'), loadTexts('setting_parts')]);
    return part;
  },
  (part) => part.ManagingFiles,
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
  const find = <SettingsSearch value={search} onChange={setSearch} input={input} />;

  // A link to one of the maps leads to its text.
  const shownView: PriceView = view === 'json' || (view === undefined && field !== undefined) ? 'json' : 'table';
  // The table of prices takes the whole width; the other pages are above it then.
  const isAlone = page.name === 'prices' && search === '';
  const isWide = isAlone && !isPhone;
  const isReviewing = panel === 'diff';

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
      title={t(isWide ? 'settings.page.prices' : 'settings.title')}
      parent={isWide ? <AllSettings /> : undefined}
      facts={changed > 0 && !isWide && <SummaryItem label={t('settings.changed')}>{changed}</SummaryItem>}
      actions={
        <HeadActions
          {...{ edits, options, panel, onPanel, onView, isWide }}
          view={shownView}
          at={query.data === undefined ? undefined : query.dataUpdatedAt}
        />
      }
      {...(isPhone ? { filters: <MenuButton page={page.name} onOpen={() => setMenuOpen(true)} /> } : {})}
      panel={
        panel === 'history' || panel === 'diff' || panel === 'files' ? (
          <ShownPanel {...{ panel, page, edits, options }} onSave={() => void handleSave()} onClose={() => onPanel(undefined)} />
        ) : null
      }
    >
      <div className={styles.screen}>
        {isPhone && !(isAlone && shownView === 'table') && find}
        {!isWide && (
          <Pages isOpen={isMenuOpen} onClose={() => setMenuOpen(false)}>
            {!isPhone && find}
            <SettingsNav current={search === '' ? page.name : undefined} marksOf={marksOf} onChoose={handleChoose} />
          </Pages>
        )}
        <QueryState query={query} what={t('settings.title')} shape={<SettingsShape />}>
          {(loaded) => (
            <SettingsForm
              page={page}
              search={search}
              options={loaded}
              at={query.dataUpdatedAt}
              field={field}
              view={shownView}
              onView={onView}
              edits={edits}
              isReviewing={isReviewing}
              onReview={() => onPanel('diff')}
              onSave={() => void handleSave()}
            />
          )}
        </QueryState>
      </div>
    </Screen>
  );
}

/** The list of pages: at the side, on a phone in a sheet. */
function Pages({ isOpen, onClose, children }: { isOpen: boolean; onClose: () => void; children: ReactNode }) {
  const { t } = useTranslation();
  if (!useIsPhone()) return <div className={styles.side}>{children}</div>;
  return (
    <BottomSheet opened={isOpen} title={t('settings.title')} onClose={onClose}>
      {children}
    </BottomSheet>
  );
}

interface ShownPanelProps {
  panel: SettingsPanel;
  page: SettingPage;
  edits: SettingEdits;
  options: readonly Option[];
  onSave: () => void;
  onClose: () => void;
}

function ShownPanel({ panel, page, edits, options, onSave, onClose }: ShownPanelProps) {
  if (panel === 'files') return <ManagingFiles onClose={onClose} />;
  return panel === 'history' ? (
    <SettingsHistory keys={entriesOf(page).map(({ key }) => key)} onClose={onClose} />
  ) : (
    <SettingsDiff edits={edits} options={options} onSave={onSave} onClose={onClose} />
  );
}

/** From a page that takes the whole width back to the list of pages. */
function AllSettings() {
  const { t } = useTranslation();
  return (
    <Link to="/setting" search={{}}>
      {t('settings.title')}
    </Link>
  );
}

interface HeadActionsProps extends Pick<SettingsScreenProps, 'panel' | 'onPanel' | 'onView'> {
  edits: SettingEdits;
  options: readonly Option[];
  view: PriceView;
  /** When the settings were read; undefined: they were not. */
  at: number | undefined;
  /** The page of prices, which has no bar at its foot at a desk. */
  isWide: boolean;
}

function HeadActions({ edits, options, panel, onPanel, view, onView, at, isWide }: HeadActionsProps) {
  const { t } = useTranslation();
  const isTouched = useIsTouched();
  return (
    <>
      {isWide && !isTouched && at !== undefined && (
        <SaveActions {...{ edits, options, at }} isReviewing={panel === 'diff'} onReview={() => onPanel('diff')} />
      )}
      {isWide && <PriceViewChoice view={view} onView={onView} />}
      <Button
        leftSection={<Icon name="list" />}
        aria-pressed={panel === 'history'}
        onClick={() => onPanel(panel === 'history' ? undefined : 'history')}
      >
        {t('settings.history.title')}
      </Button>
      <Button
        leftSection={<Icon name="archive" />}
        aria-pressed={panel === 'files'}
        onClick={() => onPanel(panel === 'files' ? undefined : 'files')}
      >
        {t('settings.files.title')}
      </Button>
    </>
  );
}

/** Fields on their way: words at the left, what is entered at the right. */
function SettingsShape() {
  return (
    <div className={styles.shape}>
      {Array.from({ length: 14 }, (_, index) => (
        <span key={index}>
          <i style={{ width: `${34 - ((index * 13) % 19)}%` }} />
          <i />
        </span>
      ))}
    </div>
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
      // The table of prices has a search of its own.
      (input.current ?? document.querySelector<HTMLElement>('#main input[type=search]'))?.focus();
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
