import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Log } from '#shared/logs.ts';
import { useIsTouched } from '#pwa/ui/frame/breakpoint.ts';
import { type ChosenColumns, ColumnPicker } from '#pwa/ui/list/columns.tsx';
import { Disclosure } from '#pwa/ui/controls/disclosure.tsx';
import { FilterBar } from '#pwa/ui/list/filter-bar.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import type { LogSearch } from './log-address.ts';
import { LogActions } from './log-actions.tsx';
import { LogFilterField } from './log-filter-fields.tsx';
import { LogRange } from './log-range.tsx';
import { countFilters, type FilterKey, filterKeys, filtersOf, forAdmins, forOrganisations, noFilters } from './log-search.ts';
import { type LogList, useNamesMembers } from './queries.ts';
import { SavedViewsMenu } from './saved-views-menu.tsx';
import styles from './logs.module.css';

interface LogFiltersProps {
  search: LogSearch;
  isAdmin: boolean;
  chosen: ChosenColumns<Log>;
  /** An open panel leaves less space. */
  isTight: boolean;
  /** Whatever narrows the list begins at its first page again. */
  onChange: (change: Partial<LogSearch>) => void;
  list: LogList;
}

/** What stands in the bar at once; the others stay behind one button at a desk until they are set. */
const usual: readonly FilterKey[] = ['type', 'result', 'model'];

export function LogFilterBar({ search, isAdmin, chosen, isTight, onChange, list }: LogFiltersProps) {
  const { t } = useTranslation();
  const hasParts = useNamesMembers();
  // Behind the one button there is room for all of them.
  const showsAll = useIsTouched();
  // One line stays one line with an open panel: the rows under it do not move when a record is opened.
  const standing = isTight ? usual.filter((name) => name === 'result') : usual;
  const rare = filterKeys.filter(
    (name) => !standing.includes(name) && (isAdmin || !forAdmins.has(name)) && (hasParts || !forOrganisations.has(name)),
  );
  const shown = [...standing, ...rare.filter((name) => showsAll || search[name] !== undefined)];
  const others = rare.filter((name) => !shown.includes(name));
  const field = (name: FilterKey) => <LogFilterField key={name} name={name} search={search} isAdmin={isAdmin} onChange={onChange} />;

  return (
    <FilterBar
      count={countFilters(filtersOf(search, isAdmin))}
      onClear={() => onChange(noFilters)}
      presets={<LogRange search={search} onChange={onChange} />}
      tools={
        <>
          <ColumnPicker chosen={chosen} />
          {!isTight && <SavedViewsMenu search={search} onChange={onChange} />}
          <LogActions list={list} />
        </>
      }
    >
      {shown.map(field)}
      {others.length > 0 && (
        <Disclosure
          button={(attributes) => (
            <Button variant="subtle" leftSection={<Icon name="plus" />} {...attributes}>
              {t('logs.filter.more')}
            </Button>
          )}
        >
          {() => <div className={`${layout.stackSm} ${styles.rare}`}>{others.map(field)}</div>}
        </Disclosure>
      )}
    </FilterBar>
  );
}
