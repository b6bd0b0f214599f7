import { useTranslation } from 'react-i18next';
import type { SettingProblem } from '#shared/setting-values.ts';
import { isSettingKey, settings, type EntryValue } from '#shared/settings.ts';
import type { OptionState } from '#pwa/offline/outbox-entry.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { textName } from './setting-entry.ts';
import { controlOf } from './pages.ts';

/** Settings in words: their names, their values, what is wrong with them. */
export function useSettingLabels() {
  const { t, i18n } = useTranslation();
  const format = useFormat();

  /** Of a setting that this console does not show, its key. */
  function name(key: string): string {
    const text = `settings.option.${textName(key)}.label`;
    return i18n.exists(text) ? t(text) : key;
  }
  function value(key: string, text: string): string {
    if (text === '') return t('settings.value.empty');
    if (text.startsWith('data:image/')) return t('settings.picture.uploaded', { size: Math.ceil((text.length * 3) / 4096) });
    if (isQuota(key) && Number.isFinite(Number(text))) return format.quota(Number(text));
    const ownWord = `settings.own.${textName(key)}.${text}`;
    if (!isSettingKey(key) && i18n.exists(ownWord)) return t(ownWord);
    const kind = isSettingKey(key) ? settings[key].kind : 'text';
    if (kind === 'boolean') return t(text === 'true' || text === '1' ? 'settings.value.on' : 'settings.value.off');
    if (kind === 'choice') return t(`settings.choice.${textName(key)}.${text}`);
    if ((kind === 'integer' || kind === 'number') && Number.isFinite(Number(text))) {
      return format.ratio(Number(text));
    }
    return text;
  }
  function entry(entryValue: EntryValue): string {
    if (entryValue === undefined) return t('settings.value.absent');
    return typeof entryValue === 'number'
      ? format.ratio(Number(entryValue.toPrecision(6)))
      : entryValue === ''
        ? t('settings.value.empty')
        : entryValue;
  }
  /** `+0.06`; '' where there is nothing to subtract. */
  function difference(from: EntryValue, to: EntryValue): string {
    if (typeof from !== 'number' || typeof to !== 'number') return '';
    const change = to - from;
    return `${change < 0 ? '\u2212' : '+'}${format.ratio(Math.abs(change))}`;
  }
  function valueDifference(key: string, from: string, to: string): string {
    const kind = isSettingKey(key) ? settings[key].kind : 'text';
    if ((kind !== 'integer' && kind !== 'number') || from === '' || to === '') return '';
    return isQuota(key) ? format.quotaChange(Number(to) - Number(from)) : difference(Number(from), Number(to));
  }
  function problem({ code, details }: SettingProblem): string {
    return t(`settings.problem.${code}`, details);
  }
  /** A value as a sentence names it: texts stand in quotes. */
  function inSentence(key: string, text: string): string {
    const kind = isSettingKey(key) ? settings[key].kind : 'text';
    const isFigure = text === '' || kind === 'boolean' || kind === 'choice' || kind === 'integer' || kind === 'number';
    return t(isFigure ? 'settings.value.figure' : 'settings.value.text', { value: short(value(key, text)) });
  }
  function entryInSentence(entryValue: EntryValue): string {
    const isText = typeof entryValue === 'string' && entryValue !== '';
    return t(isText ? 'settings.value.text' : 'settings.value.figure', { value: short(entry(entryValue)) });
  }
  /** Whose change it is, and of when. */
  function changeNote({ changedBy = '', changedAt }: OptionState): string {
    if (changedAt === undefined) return t('setting_parts.conflict.theirs_note');
    const isToday = format.dayKey(changedAt) === format.dayKey(Date.now() / 1000);
    const time = isToday ? format.clock(changedAt) : format.dateTime(changedAt);
    return changedBy === ''
      ? t('setting_parts.conflict.changed_at', { time })
      : t('setting_parts.conflict.changed_by', { name: changedBy, time });
  }
  return { name, value, entry, difference, valueDifference, problem, inSentence, entryInSentence, changeNote };
}

const longest = 24;

/** Fits a value onto a button. */
function short(text: string): string {
  const characters = Array.from(text);
  return characters.length > longest ? `${characters.slice(0, longest).join('')}…` : text;
}

function isQuota(key: string): boolean {
  return controlOf(key) === 'quota';
}
