import { isLimitSetting, useLimitWords } from '#pwa/records/limits/use-limit-words.ts';
import { useSettingLabels } from './use-setting-labels.ts';

/** The same with lists of limits in words, where whole values are compared. The texts `limits` are loaded. */
export function useValueWords(): ReturnType<typeof useSettingLabels> {
  const labels = useSettingLabels();
  const limits = useLimitWords();
  return {
    ...labels,
    value: (key, text) => (isLimitSetting(key) ? limits.stored(key, text) : undefined) ?? labels.value(key, text),
  };
}
