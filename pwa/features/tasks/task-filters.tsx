import { useTranslation } from 'react-i18next';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { type ChosenColumns, ColumnPicker } from '#pwa/ui/list/columns.tsx';
import { FilterBar, FilterSelect, FilterText } from '#pwa/ui/list/filter-bar.tsx';
import { RangeFilter } from '#pwa/ui/list/range-filter.tsx';
import type { TaskSearch } from './task-address.ts';
import { kinds, ranges } from './task-kinds.ts';
import { useActionText, useStatusText } from './task-labels.tsx';
import type { TaskRow } from './task-row.ts';
import { countFilters, type FilterKey, filterKeys, noFilters, type TaskList } from './task-search.ts';

interface TaskFiltersProps {
  list: TaskList;
  search: TaskSearch;
  columns: ChosenColumns<TaskRow>;
  /** An open panel leaves less space. */
  isTight: boolean;
  /** Whatever narrows the list begins at its first page again. */
  onNarrow: (change: Partial<TaskSearch>) => void;
  onView: (view: TaskSearch['view']) => void;
}

export function TaskFilterBar({ list, search, columns, isTight, onNarrow, onView }: TaskFiltersProps) {
  const { t } = useTranslation();
  const { defaultRange } = kinds[list.kind];
  const { range } = list.range;
  // One line stays one line with an open panel: the rows under it do not move when a record is opened.
  const shown = filterKeys.filter((name) => (list.isAdmin || name !== 'channel') && (!isTight || search[name] !== undefined));
  return (
    <FilterBar
      count={countFilters(list.filters)}
      onClear={() => onNarrow(noFilters)}
      presets={
        <RangeFilter
          label={t('tasks.filter.range')}
          range={range}
          ranges={ranges.map((name) => ({ value: name, label: t(`tasks.range.${name}`) }))}
          onRange={(next) => onNarrow({ range: next === defaultRange ? undefined : next })}
          from={search.from}
          to={search.to}
          labels={{ from: t('tasks.filter.from'), to: t('tasks.filter.to') }}
          onChange={onNarrow}
        />
      }
      tools={
        <>
          {list.kind !== 'drawing' && (
            <Segments
              label={t('tasks.kind.label')}
              value={list.kind}
              options={[
                { value: 'music', label: t('tasks.kind.music') },
                { value: 'video', label: t('tasks.kind.video') },
              ]}
              onChange={(kind) => onNarrow({ ...noFilters, open: undefined, kind })}
            />
          )}
          <Segments
            label={t('tasks.view.label')}
            value={search.view ?? 'list'}
            options={[
              { value: 'list', label: t('tasks.view.list') },
              { value: 'gallery', label: t('tasks.view.gallery') },
            ]}
            onChange={(view) => onView(view === 'gallery' ? view : undefined)}
          />
          {search.view === undefined && <ColumnPicker chosen={columns} />}
        </>
      }
    >
      {shown.map((name) => (
        <TaskFilterField key={name} name={name} list={list} onNarrow={onNarrow} />
      ))}
    </FilterBar>
  );
}

function TaskFilterField({ name, list, onNarrow }: Pick<TaskFiltersProps, 'list' | 'onNarrow'> & { name: FilterKey }) {
  const { t } = useTranslation();
  const statusText = useStatusText();
  const actionText = useActionText();
  const label = t(`tasks.filter.${name}`);
  const value = String(list.filters[name] ?? '');
  const { statuses, actions } = kinds[list.kind];
  if (name === 'status' || name === 'action') {
    const textOf = name === 'status' ? statusText : actionText;
    const options = (name === 'status' ? statuses : actions).map((one) => ({ value: one, label: textOf(one) }));
    return <FilterSelect label={label} value={value} options={options} onChange={(chosen) => onNarrow({ [name]: chosen || undefined })} />;
  }
  if (name === 'id') return <FilterText label={label} value={value} onChange={(id) => onNarrow({ id: id || undefined })} />;
  return (
    <FilterText
      label={label}
      inputMode="numeric"
      value={value}
      onChange={(typed) => onNarrow({ channel: /^\d{1,9}$/.test(typed) ? Number(typed) : undefined })}
    />
  );
}
