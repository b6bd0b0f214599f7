// Default values of settings. The server sends them where the present value differs.
import type { Option } from '#shared/options.ts';
import { isSameValue } from './setting-texts.ts';

/** The default's text; undefined of secrets, which have none. */
export function defaultOf(option: Option): string | undefined {
  if (option.default !== undefined) return option.default;
  if (option.isSet !== undefined) return undefined;
  return option.value;
}

/** It was saved with another value than its default. Of a secret: there is one. */
export function isChanged(option: Option): boolean {
  if (option.isSet !== undefined) return option.isSet;
  return option.default !== undefined && !isSameValue(option.key, option.value, option.default);
}
