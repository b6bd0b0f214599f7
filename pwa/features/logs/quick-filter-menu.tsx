import { Button } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Log } from '#shared/logs.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PanelSection } from '#pwa/ui/frame/side-panel.tsx';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import type { LogSearch } from './log-address.ts';
import { typeName } from './log-columns.tsx';
import { type QuickFilter, quickFilters } from './quick-filters.ts';
import styles from './logs.module.css';

export interface QuickFilterProps {
  log: Log;
  search: LogSearch;
  isAdmin: boolean;
  onFilter: (change: Partial<LogSearch>) => void;
}

/** At the end of a row. */
export function QuickFilterMenu({ log, search, isAdmin, onFilter }: QuickFilterProps) {
  const { t } = useTranslation();
  return (
    <RowMenu
      label={t('logs.quick.menu')}
      width={280}
      content={() => ({
        note: t('logs.quick.title'),
        actions: quickFilters(log, { search, isAdmin }).map((filter) => ({
          key: filter.key,
          label: labelOf(filter, t),
          onClick: () => onFilter(filter.change),
        })),
      })}
    />
  );
}

/** In the panel of a row. */
export function QuickFilterSection({ log, search, isAdmin, onFilter }: QuickFilterProps) {
  const { t } = useTranslation();
  const filters = quickFilters(log, { search, isAdmin });
  if (filters.length === 0) return null;
  return (
    <PanelSection title={t('logs.quick.title')}>
      <ul className={`${layout.wrap} ${styles.quick}`}>
        {filters.map((filter) => (
          <li key={filter.key}>
            <Button variant="default" leftSection={<Icon name="filter" />} onClick={() => onFilter(filter.change)}>
              {labelOf(filter, t)}
            </Button>
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}

function labelOf({ key, value, change }: QuickFilter, t: TFunction): string {
  if (key === 'request' || key === 'result') return t('logs.quick.request');
  const shown = key === 'type' ? t(`logs.type.${typeName(change.type ?? 0)}`) : key === 'channel' ? `#${value}` : value;
  const name = key === 'session' || key === 'cache' ? t(`logs.filter.${key}`) : t(`logs.column.${key === 'model' ? 'what' : key}`);
  return t('logs.quick.is', { name, value: shown });
}
