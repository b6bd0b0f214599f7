// Models by name. What there is to find is loaded when the palette opens, once.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { modelApi } from '#shared/models.ts';
import { call } from '#pwa/api/call.ts';
import { fits, type PaletteItem, type Typed } from './palette-item.ts';

/** Rows; the price list has them all. */
const most = 5;

/** Nothing for less than two characters, or for actions. */
export function useModelItems(typed: Typed): PaletteItem[] {
  const { t } = useTranslation();
  const { data = [] } = useQuery(namesQuery);
  if (typed.kind !== 'any' || typed.text.length < 2) return [];
  return data
    .map((name): PaletteItem => ({
      key: `model:${name}`,
      group: 'models',
      icon: 'price',
      name,
      detail: t('shell.menu.pricing'),
      href: `/pricing?${new URLSearchParams({ keyword: name, open: name }).toString()}`,
    }))
    .filter((item) => fits({ name: item.name }, typed.text))
    .slice(0, most);
}

const namesQuery = queryOptions({
  queryKey: ['palette', 'models'],
  queryFn: async ({ signal }) => (await call(modelApi.pricing, { signal })).map(({ model_name: name }) => name).toSorted(),
  staleTime: 300_000,
  retry: false,
});
