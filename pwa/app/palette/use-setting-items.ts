// Finds settings by name, for users who may change them. The list is loaded with the palette, without a request to the server's API.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { fits, type PaletteItem, type Typed } from './palette-item.ts';

/** Rows; the search of the settings themselves has them all. */
const most = 6;

/** Nothing for less than two characters, or for actions. */
export function useSettingItems(typed: Typed): PaletteItem[] {
  const { t, i18n } = useTranslation();
  const role = useStoredUser()?.role ?? Role.guest;
  const isOffered = role >= Role.admin;
  const { data = [] } = useQuery({ ...keysQuery(role), enabled: isOffered });
  if (!isOffered || typed.kind !== 'any' || typed.text.length < 2) return [];
  return data
    .map((key) => ({ key, label: `settings.option.${key.replaceAll('.', '_')}.label` }))
    .filter(({ label }) => i18n.exists(label))
    .map(({ key, label }): PaletteItem => ({
      key: `setting:${key}`,
      group: 'settings',
      icon: 'settings',
      name: t(label),
      detail: key,
      href: `/setting?${new URLSearchParams({ field: key }).toString()}`,
    }))
    .filter((item) => fits(item, typed.text))
    .slice(0, most);
}

const keysQuery = (role: number) =>
  queryOptions({
    queryKey: ['palette', 'settings', role],
    queryFn: async () => {
      const [{ mayWriteSetting, settingKeys }] = await Promise.all([import('#shared/settings.ts'), loadTexts('settings')]);
      return settingKeys.filter((key) => mayWriteSetting(key, role));
    },
    staleTime: Infinity,
    networkMode: 'always',
  });
