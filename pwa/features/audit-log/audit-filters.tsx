import { useTranslation } from 'react-i18next';
import { type AuditFormat, auditFormats } from '#shared/audit-log.ts';
import { auditKinds } from '#shared/audit-spec.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { download } from '#pwa/ui/controls/download.ts';
import { type ChosenColumns, ColumnPicker } from '#pwa/ui/list/columns.tsx';
import { FilterBar, FilterSelect, FilterText } from '#pwa/ui/list/filter-bar.tsx';
import { RangeFilter } from '#pwa/ui/list/range-filter.tsx';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';
import type { AuditRow } from './audit-rows.ts';
import { auditFiltersOf, type AuditSearch, countFilters, defaultRange, noFilters, ranges } from './audit-search.ts';
import { exportAddress } from './queries.ts';

interface AuditFilterBarProps {
  search: AuditSearch;
  chosen: ChosenColumns<AuditRow>;
  /** Whatever narrows the list begins at its first page again. */
  onChange: (change: Partial<AuditSearch>) => void;
}

export function AuditFilterBar({ search, chosen, onChange }: AuditFilterBarProps) {
  const { t } = useTranslation();
  return (
    <FilterBar
      count={countFilters(search)}
      onClear={() => onChange(noFilters)}
      search={{
        label: t('audit.filter.keyword'),
        value: search.keyword ?? '',
        onChange: (keyword) => onChange({ keyword: keyword || undefined }),
      }}
      presets={
        search.object === undefined && (
          <RangeFilter
            label={t('audit.filter.range')}
            range={search.range ?? defaultRange}
            ranges={ranges.map((name) => ({ value: name, label: t(`audit.range.${name}`) }))}
            onRange={(next) => onChange({ range: next === defaultRange ? undefined : next })}
            from={search.from}
            to={search.to}
            labels={{ from: t('audit.filter.from'), to: t('audit.filter.to') }}
            onChange={onChange}
          />
        )
      }
      tools={
        <>
          <ColumnPicker chosen={chosen} />
          <ExportMenu search={search} />
        </>
      }
    >
      <FilterText label={t('audit.column.who')} value={search.actor ?? ''} onChange={(actor) => onChange({ actor: actor || undefined })} />
      <FilterSelect
        label={t('audit.column.kind')}
        value={search.kind ?? ''}
        options={auditKinds.map((kind) => ({ value: kind, label: t(`audit.kind.${kind}`) }))}
        onChange={(chosenKind) => onChange({ kind: auditKinds.find((kind) => kind === chosenKind) })}
      />
      <FilterSelect
        label={t('audit.filter.system')}
        value={search.system ?? ''}
        options={[{ value: 'hidden', label: t('audit.filter.hidden') }]}
        onChange={(system) => onChange({ system: system === 'hidden' ? 'hidden' : undefined })}
      />
      {search.object !== undefined && (
        <FilterText
          label={t('audit.column.record')}
          value={search.object}
          onChange={(object) => onChange({ object: object || undefined })}
        />
      )}
    </FilterBar>
  );
}

/** A file of the whole list, as it is filtered. */
function ExportMenu({ search }: { search: AuditSearch }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  const file = (format: AuditFormat) => ({
    key: format,
    label: t(`audit.export.${format}`),
    isDisabled: !isOnline,
    onClick: () => download(exportAddress(auditFiltersOf(search), format, Date.now())),
  });
  return <RowMenu label={needs(t('audit.export.menu'))} width={260} content={() => ({ actions: auditFormats.map(file) })} />;
}
