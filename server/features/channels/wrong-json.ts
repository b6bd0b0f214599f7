// Why a channel's JSON text was refused, for people. What is refused is decided by `server/upstream/channel-json.ts`; here
// its reason is only looked for, so that an unknown one is still a refusal.
import { AppError } from '#shared/errors.ts';
import type { LocalText } from '#shared/errors.ts';
import { fieldRules, fieldSentence } from '#shared/field-rules.ts';

export type JsonField = 'model_mapping' | 'status_code_mapping' | 'setting' | 'param_override';

const longestEntryName = 80;

/** The refusal of a text that is not what the field holds. An entry is named by its path, as fields within fields are. */
export function wrongJson(field: JsonField, text: string): AppError {
  const json = parse(text);
  if (json === undefined) {
    return new AppError(field === 'model_mapping' ? 'channel_mapping_invalid' : 'channel_json_invalid', { field }, { field });
  }
  const { path, rule } = reasonOf(field, json.value);
  return new AppError('invalid_input', { detail: fieldSentence(path, rule) }, { field });
}

/** Undefined: this entry is right. */
type EntryRule = (name: string, value: unknown) => LocalText | undefined;

const entryRules: Readonly<Record<JsonField, EntryRule>> = {
  model_mapping: (_name, value) => (value === null ? undefined : textRule(value)),
  status_code_mapping(name, value) {
    if (!/^[1-5]\d\d$/.test(name)) return fieldRules.statusFrom;
    const isStatus = typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^\d{3}$/.test(value);
    return isStatus && Number(value) >= 400 && Number(value) <= 599 ? undefined : fieldRules.statusTo;
  },
  setting(name, value) {
    if (value === null) return undefined;
    if (name === 'force_format' || name === 'thinking_to_content') return typeof value === 'boolean' ? undefined : fieldRules.boolean;
    // Its address is judged last: what is wrong then is nothing else.
    return name === 'proxy' ? textRule(value) : undefined;
  },
  param_override: () => undefined,
};

function reasonOf(field: JsonField, value: unknown): { path: string; rule: LocalText } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { path: field, rule: fieldRules.object };
  for (const [name, entry] of Object.entries(value)) {
    const rule = entryRules[field](name, entry);
    if (rule !== undefined) return { path: `${field}.${name.slice(0, longestEntryName)}`, rule };
  }
  if (field === 'setting' && 'proxy' in value) return { path: 'setting.proxy', rule: fieldRules.proxyUrl };
  return { path: field, rule: fieldRules.invalid };
}

function textRule(value: unknown): LocalText | undefined {
  return typeof value === 'string' ? undefined : fieldRules.text;
}

/** Undefined: not JSON. */
function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
