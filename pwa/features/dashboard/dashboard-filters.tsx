import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { FilterBar, FilterSelect, FilterText } from '#pwa/ui/list/filter-bar.tsx';
import { RangeFilter } from '#pwa/ui/list/range-filter.tsx';
import { type DashboardQuestion, stepsFor } from './dashboard-question.ts';
import { type DashboardSearch, spans, splits } from './dashboard-search.ts';
import styles from './dashboard.module.css';

interface DashboardFiltersProps {
  question: DashboardQuestion;
  isAdmin: boolean;
  search: DashboardSearch;
  onChange: (change: Partial<DashboardSearch>) => void;
  tools: ReactNode;
}

export function DashboardFilters({ question, isAdmin, search, onChange, tools }: DashboardFiltersProps) {
  const { t } = useTranslation();
  const offered = splits.filter((split) => question.isAdmin || split === 'model' || split === 'token');
  return (
    <FilterBar
      count={[search.by, search.user, search.own].filter((value) => value !== undefined).length}
      onClear={() => onChange({ by: undefined, user: undefined, own: undefined })}
      presets={
        <>
          <RangeFilter
            label={t('dashboard.filter.span')}
            range={question.span}
            ranges={spans.map((value) => ({ value, label: t(`dashboard.span.${value}`) }))}
            onRange={(span) => onChange({ span, step: undefined })}
            from={question.from}
            to={question.to}
            labels={{ from: t('dashboard.filter.from'), to: t('dashboard.filter.to') }}
            onChange={onChange}
          />
          <Segments
            label={t('dashboard.filter.step')}
            value={question.step}
            options={stepsFor(question, Date.now()).map((value) => ({ value, label: t(`dashboard.step.${value}`) }))}
            onChange={(step) => onChange({ step })}
          />
        </>
      }
      tools={tools}
    >
      <FilterSelect
        label={t('dashboard.filter.by')}
        isRequired
        value={question.by}
        options={offered
          .filter((split) => split !== 'user' || question.user === undefined)
          .map((value) => ({ value, label: t(`dashboard.by.${value}`) }))}
        onChange={(by) => onChange({ by: by === 'model' ? undefined : splits.find((one) => one === by) })}
      />
      {question.isAdmin && (
        <FilterText
          label={t('dashboard.filter.user')}
          value={search.user ?? ''}
          onChange={(user) => onChange({ user: user === '' ? undefined : user })}
        />
      )}
      <div className={styles.choices}>
        <Checkbox
          label={t(`dashboard.compare.${question.span}`)}
          checked={search.compare !== false}
          onChange={(event) => onChange({ compare: event.currentTarget.checked ? undefined : false })}
        />
        {isAdmin && (
          <Checkbox
            label={t('dashboard.filter.own')}
            checked={search.own === true}
            onChange={(event) => onChange({ own: event.currentTarget.checked ? true : undefined })}
          />
        )}
      </div>
    </FilterBar>
  );
}
