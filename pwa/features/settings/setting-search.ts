import { useTranslation } from 'react-i18next';
import type { SettingEntry } from './setting-entry.ts';
import { textName } from './setting-entry.ts';
import { entriesOf, pages } from './pages.ts';

export interface FoundSettings {
  page: string;
  entries: SettingEntry[];
}

/** Settings of all pages whose key, name or hint has all of the words that were typed. */
export function useSettingSearch(): (typed: string) => FoundSettings[] {
  const { t } = useTranslation();
  return (typed) => {
    const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
    const found = pages.map((page) => ({
      page: page.name,
      entries: entriesOf(page).filter(({ key }) => {
        const id = textName(key);
        const text = [key, t(`settings.option.${id}.label`), t(`settings.option.${id}.hint`), t(`settings.page.${page.name}`)];
        const all = text.join('\n').toLowerCase();
        return wanted.every((word) => all.includes(word));
      }),
    }));
    return found.filter(({ entries }) => entries.length > 0);
  };
}
