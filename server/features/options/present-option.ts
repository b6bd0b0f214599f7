import type { Option } from '#shared/options.ts';
import { isSecret } from '#shared/settings.ts';
import type { SettingKey } from '#shared/settings.ts';
import type { OptionRecord } from '#server/db/collections.ts';
import { defaultText } from '#server/settings/defaults.ts';

/** An option as the console sees it; without a row it has its default. Secrets are never sent. */
export function presentOption(key: SettingKey, row: OptionRecord | undefined): Option {
  const revision = row?.revision ?? 0;
  if (isSecret(key)) return { key, value: '', revision, isSet: row !== undefined && row.value !== '' };
  return { key, value: row?.value ?? defaultText(key), revision };
}
