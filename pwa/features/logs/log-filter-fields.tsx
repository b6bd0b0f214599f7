import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { LogType } from '#shared/logs.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { FilterSelect, FilterText } from '#pwa/ui/list/filter-bar.tsx';
import { caches, type LogSearch, results } from './log-address.ts';
import type { FilterKey } from './log-search.ts';
import { logGroupsQuery } from './queries.ts';

/** Loaded by those who act for an organisation. */
const PartField = lazyPart(
  () => import('./part-field.tsx'),
  (part) => part.PartField,
);

interface LogFilterFieldProps {
  name: FilterKey;
  search: LogSearch;
  isAdmin: boolean;
  onChange: (change: Partial<LogSearch>) => void;
}

/** The field of one filter. */
export function LogFilterField({ name, search, isAdmin, onChange }: LogFilterFieldProps) {
  const { t } = useTranslation();
  const label = t(`logs.filter.${name}`);
  const value = String(search[name] ?? '');
  switch (name) {
    case 'type':
      return <TypeField label={label} value={value} onChange={(type) => onChange({ type: type === '' ? undefined : Number(type) })} />;
    case 'result':
      return (
        <FilterSelect
          label={label}
          value={value}
          options={results.map((result) => ({ value: result, label: t(`logs.result.${result}`) }))}
          onChange={(chosen) => onChange({ result: results.find((result) => result === chosen) })}
        />
      );
    case 'cache':
      return (
        <FilterSelect
          label={label}
          value={value}
          options={caches.map((cache) => ({ value: cache, label: t(`logs.cache.${cache}`) }))}
          onChange={(chosen) => onChange({ cache: caches.find((cache) => cache === chosen) })}
        />
      );
    case 'group':
      return <GroupField label={label} value={value} isAdmin={isAdmin} onChange={(group) => onChange({ group: textOf(group) })} />;
    case 'member':
    case 'team':
      return (
        <PartField of={name} label={label} value={value} onChange={(id) => onChange({ [name]: id === '' ? undefined : Number(id) })} />
      );
    case 'channel':
      return (
        <FilterText
          label={label}
          inputMode="numeric"
          value={value}
          onChange={(typed) => onChange({ channel: /^\d{1,9}$/.test(typed) ? Number(typed) : undefined })}
        />
      );
    case 'request':
    case 'session':
    case 'token':
    case 'model':
    case 'user':
      return <FilterText label={label} value={value} onChange={(typed) => onChange({ [name]: textOf(typed.trim()) })} />;
  }
}

interface FieldProps {
  label: string;
  /** '' : not set. */
  value: string;
  onChange: (value: string) => void;
}

const types = [
  { value: '2', name: 'consumption' },
  { value: '1', name: 'top_up' },
  { value: '3', name: 'management' },
  { value: '4', name: 'system' },
  { value: '5', name: 'refusal' },
  { value: '6', name: 'test' },
] as const;

function TypeField({ label, value, onChange }: FieldProps) {
  const { t } = useTranslation();
  const refusal = String(LogType.refusal);
  // A refusal is a result as well, and chosen there; old addresses retain it.
  const offered = types.filter((type) => type.value !== refusal || value === refusal);
  return (
    <FilterSelect
      label={label}
      value={value}
      options={offered.map((type) => ({ value: type.value, label: t(`logs.type.${type.name}`) }))}
      onChange={onChange}
    />
  );
}

function GroupField({ label, value, isAdmin, onChange }: FieldProps & { isAdmin: boolean }) {
  const groups = useQuery(logGroupsQuery(isAdmin)).data ?? [];
  // A group that is filtered by stays choosable, also when it is gone.
  const offered = value === '' || groups.includes(value) ? groups : [value, ...groups];
  return (
    <FilterSelect label={label} value={value} options={offered.map((group) => ({ value: group, label: group }))} onChange={onChange} />
  );
}

function textOf(typed: string): string | undefined {
  return typed === '' ? undefined : typed;
}
