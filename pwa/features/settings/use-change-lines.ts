import { useTranslation } from 'react-i18next';
import type { OptionChange } from '#shared/options.ts';
import { isMapSetting, isSecret, isSettingKey, mapChanges, parseMap, settings, type SettingKey } from '#shared/settings.ts';
import { type ChangeLine, shareOf } from '#pwa/ui/list/change-lines.tsx';
import { useValueWords } from './use-value-words.ts';

/** Changes in words, line by line: of drafts, and of what was saved. */
export function useChangeLines() {
  const { t } = useTranslation();
  const words = useValueWords();

  const secret = (isSet: boolean): string => t(isSet ? 'common.secret.set' : 'settings.value.empty');

  function ofTexts(key: string, before: string, after: string): ChangeLine[] {
    const [from, to] = isMapSetting(key) ? [parseMap(before), parseMap(after)] : [null, null];
    if (from !== null && to !== null) {
      return mapChanges(from, to).map((change) => ({
        name: change.name,
        before: words.entry(change.from),
        after: words.entry(change.to),
        share: shareOf(change.from, change.to),
      }));
    }
    const isFigure = isSettingKey(key) && (settings[key].kind === 'integer' || settings[key].kind === 'number');
    const share = isFigure && before !== '' && after !== '' ? shareOf(Number(before), Number(after)) : '';
    return [{ name: '', before: words.value(key, before), after: words.value(key, after), share }];
  }

  function ofDraft(key: SettingKey, before: string, after: string, wasSet: boolean): ChangeLine[] {
    if (!isSecret(key)) return ofTexts(key, before, after);
    return [{ name: '', before: secret(wasSet), after: after === '' ? secret(false) : t('settings.secret.new'), share: '' }];
  }

  function ofChange(change: OptionChange): ChangeLine[] {
    const { key, before, after, entries } = change;
    if (change.is_set !== undefined) {
      const became = change.is_set && change.was_set === true ? t('settings.secret.new') : secret(change.is_set);
      return [{ name: '', before: secret(change.was_set === true), after: became, share: '' }];
    }
    if (entries !== undefined) {
      return entries.map((entry) => ({
        name: entry.name,
        before: words.entry(entry.before),
        after: words.entry(entry.after),
        share: shareOf(entry.before, entry.after),
      }));
    }
    return before === undefined || after === undefined ? [] : ofTexts(key, before, after);
  }
  return { ofDraft, ofChange };
}
