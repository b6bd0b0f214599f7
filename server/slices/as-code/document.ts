// What a file may hold: made from the contracts of the console's calls, whose checks follow when it is planned.
import { z } from 'zod';
import { channelJson } from '#shared/channel-rules.ts';
import { ChannelCreate } from '#shared/channels.ts';
import { mostKeyWeight, longestKeyNote } from '#shared/channel-keys.ts';
import { isSecret, type SettingKey, settingKeys, settings } from '#shared/settings.ts';
import { TokenCreate } from '#shared/tokens.ts';
import { kindOfMap } from '#server/settings/managed-entries.ts';

/** Version of the format. */
export const documentVersion = 1;

/** Settings that a file names; those of groups and of models' prices are entries of their own. */
export const describedSettings: readonly SettingKey[] = settingKeys.filter((key) => kindOfMap(key) === undefined);

const channel = ChannelCreate.shape;
const token = TokenCreate.shape;
const Text = z.string();
const Switch = z.boolean();
const Status = z.enum(['enabled', 'disabled']);
const Reference = 'A reference: `${NAME}` of the environment, or `file:PATH`';
const Key = Text.min(1).describe(Reference);

const Group = z.strictObject({
  ratio: z.number().describe('Factor of all prices'),
  topup_ratio: z.number().optional().describe('Factor of the price of a top-up'),
  usable: Text.optional().describe('Description under which every user may choose the group; absent: not every user may'),
  ratios: z.record(Text, z.number()).optional().describe('Factors that users of this group pay in other groups'),
  special_usable: z
    .record(Text, Text)
    .optional()
    .describe('Groups that users of this group may use (`+:name`) or not (`-:name`), with descriptions'),
});

const ratio = z.number().min(0).optional();
const Price = z.strictObject({
  model_price: ratio.describe('USD per call; wins over the ratio'),
  model_ratio: ratio.describe('1 is 2 USD per million input tokens'),
  completion_ratio: ratio,
  cache_ratio: ratio,
  create_cache_ratio: ratio,
  create_cache_1h_ratio: ratio,
  audio_ratio: ratio,
  audio_completion_ratio: ratio,
  audio_cache_ratio: ratio,
  image_ratio: ratio,
  image_completion_ratio: ratio,
});

const Channel = z.strictObject({
  name: Text.min(1).max(200).describe('Identifies the channel'),
  type: z.union([z.int().min(1), Text.min(1)]).describe('Number or name of the type'),
  key: Key.optional(),
  keys: z
    .array(
      z.strictObject({
        key: Key,
        weight: z.int().min(1).max(mostKeyWeight).optional(),
        most_parallel: z.int().min(0).optional(),
        note: Text.max(longestKeyNote).optional(),
      }),
    )
    .min(1)
    .optional()
    .describe('Several keys, instead of `key`'),
  status: Status.optional().describe('Absent: the console decides'),
  models: z.array(Text.min(1)).min(1),
  groups: channel.groups,
  weight: channel.weight,
  priority: channel.priority,
  base_url: channel.base_url,
  other: channel.other,
  openai_organization: channel.openai_organization,
  test_model: channel.test_model,
  tag: channel.tag,
  remark: channel.remark,
  max_input_tokens: channel.max_input_tokens,
  auto_ban: Switch.optional(),
  model_mapping: z.optional(channelJson.model_mapping),
  status_code_mapping: z.record(Text, z.union([z.int(), Text])).optional(),
  setting: z.looseObject({}).optional(),
  param_override: z.record(Text, z.unknown()).optional(),
});

const Token = z.strictObject({
  user: Text.min(1).describe('Username of the owner, who must exist'),
  name: token.name,
  key: Key.optional(),
  status: Status.optional().describe('Absent: the owner decides'),
  initial_quota: token.remain_quota,
  unlimited_quota: token.unlimited_quota,
  expired_time: token.expired_time,
  models: z.array(Text.min(1)).optional().describe('Allowed models; absent: all'),
  allow_ips: z.array(Text.min(1)).optional(),
  group: token.group,
  auto_groups: z.array(Text.min(1)).optional(),
  cross_group_retry: token.cross_group_retry,
  session_budget: token.session_budget,
  rate_limits: token.rate_limits,
  budgets: token.budgets,
});

export const Document = z.strictObject({
  $schema: Text.optional(),
  version: z.literal(documentVersion),
  name: Text.min(1).max(200).optional().describe('Name of the set of files'),
  settings: z.strictObject(settingShape()).optional(),
  groups: z.record(Text.min(1).max(64), Group.nullable()).optional().describe('By name; null: there is no such group'),
  prices: z.record(Text.min(1).max(255), Price).optional().describe('By model; an empty object: the model has no price'),
  channels: z.array(Channel).optional(),
  tokens: z.array(Token).optional(),
});
export type Document = z.infer<typeof Document>;
export type DescribedGroup = z.infer<typeof Group>;
export type DescribedPrice = z.infer<typeof Price>;
export type DescribedChannel = z.infer<typeof Channel>;
export type DescribedToken = z.infer<typeof Token>;

/** JSON Schema of a file, for editors. */
export function documentSchema(): unknown {
  return z.toJSONSchema(Document, { io: 'input', unrepresentable: 'any' });
}

function settingShape(): Partial<Record<SettingKey, z.ZodType>> {
  return Object.fromEntries(describedSettings.map((key) => [key, valueSchema(key).optional()]));
}

function valueSchema(key: SettingKey): z.ZodType {
  const { kind, min, max, choices } = settings[key];
  switch (kind) {
    case 'boolean':
      return Switch;
    case 'integer':
      return z
        .int()
        .min(min ?? Number.MIN_SAFE_INTEGER)
        .max(max ?? Number.MAX_SAFE_INTEGER);
    case 'number':
      return z
        .number()
        .min(min ?? -Number.MAX_VALUE)
        .max(max ?? Number.MAX_VALUE);
    case 'choice':
      return z.enum([...(choices ?? [])]);
    case 'lines':
    case 'comma_list':
      return z.array(Text);
    case 'number_map':
      return z.record(Text, z.number());
    case 'text_map':
      return z.record(Text, Text);
    case 'nested_map':
      return z.record(Text, z.record(Text, z.union([z.number(), Text])));
    case 'header_map':
      return z.record(Text, z.record(Text, z.array(Text)));
    case 'chats':
      return z.array(z.record(Text, Text));
    case 'list':
      return z.array(z.looseObject({}));
    default:
      return isSecret(key) ? Text.describe(Reference) : Text;
  }
}

/** Text of a setting as it is stored, from its value in a file. */
export function settingText(key: SettingKey, value: unknown): string {
  const { kind } = settings[key];
  if (Array.isArray(value) && kind === 'lines') return value.join('\n');
  if (Array.isArray(value) && kind === 'comma_list') return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Value of a setting in a file, from its stored text; undefined if the text is damaged. */
export function settingValue(key: SettingKey, text: string): unknown {
  const parsed = settings[key].parse(text, key);
  if (!parsed.ok) return undefined;
  // Maps have no prototype; YAML and JSON do not care.
  return parsed.value;
}
