import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { type SettingEntry, textName } from './setting-entry.ts';
import { entriesOf, pages } from './pages.ts';
import { useSettingLabels } from './use-setting-labels.ts';

export interface FoundSettings {
  page: string;
  entries: SettingEntry[];
}

/** Settings of all pages that have all of the words that were typed: in their key, name, hint or value, or in what else they may be called. */
export function useSettingSearch(options: readonly Option[]): (typed: string) => FoundSettings[] {
  const { t, i18n } = useTranslation();
  const words = useSettingLabels();
  // What else they are called is no part of the screen, and is drawn with once it is here.
  useTranslation('setting_words');
  const values = new Map(options.map((option) => [option.key, option]));
  const known = (key: string): string => (i18n.exists(key) ? t(key) : '');

  function textOf({ key, control }: SettingEntry, page: string): string {
    const id = textName(key);
    const option = values.get(key);
    // A secret has no value here, and a picture is none to look for.
    const value = option === undefined || option.isSet !== undefined || option.value.startsWith('data:') ? '' : option.value;
    return [
      key,
      t(`settings.option.${id}.label`),
      t(`settings.option.${id}.hint`),
      t(`settings.page.${page}`),
      known(`setting_words.option.${id}`),
      control === 'switch' ? known('setting_words.switch') : '',
      // As it is stored, and as it is shown: `281000` and `$0.56`.
      control === 'switch' ? '' : value,
      control === 'switch' || value.length > longestShown ? '' : words.value(key, value),
    ]
      .join('\n')
      .toLowerCase();
  }
  return (typed) => {
    const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
    const found = pages.map((page) => ({
      page: page.name,
      entries: entriesOf(page).filter((entry) => {
        const all = textOf(entry, page.name);
        return wanted.every((word) => all.includes(word));
      }),
    }));
    return found.filter(({ entries }) => entries.length > 0);
  };
}

/** Characters; longer values read as they are stored. */
const longestShown = 60;
