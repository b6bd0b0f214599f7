// Every setting by its key: its kind and rules, its default, who may write it, and what is a secret.
import type { ErrorCode } from '#shared/errors.ts';
import { Role } from '#shared/roles.ts';
import {
  booleanSetting,
  chatsSetting,
  choiceSetting,
  commaListSetting,
  headerMapSetting,
  imageSetting,
  integerSetting,
  linesSetting,
  longTextSetting,
  numberMapSetting,
  numberSetting,
  type Setting,
  type SettingProblem,
  textMapSetting,
  textSetting,
  urlSetting,
} from '#shared/setting-values.ts';
import { backupSettings } from '#shared/backup-settings.ts';
import { logSettings } from '#shared/log-settings.ts';
import { limitSettings } from '#shared/limit-settings.ts';
import { nestedNumberMapSetting, nestedTextMapSetting } from '#shared/nested-map-settings.ts';
import { priceSyncSettings } from '#shared/price-sync-settings.ts';
import { retentionSettings } from '#shared/retention-settings.ts';
import { statusSettings } from '#shared/status-settings.ts';
import { checkGroupRatio, isGroupName } from '#shared/group-settings.ts';
import { isLongInputName } from '#shared/long-inputs.ts';
import { isKnownTierName, isTierPriceName } from '#shared/service-tiers.ts';
import { isToolPriceName } from '#shared/tool-prices.ts';
import { isTuningPriceName } from '#shared/tuning-prices.ts';
import { isVideoPriceName } from '#shared/video-prices.ts';

const amount = { min: 0, max: Number.MAX_SAFE_INTEGER };
const ratio = { min: 0, max: 1_000_000_000 };
const count = { min: 0, max: 1_000_000_000 };
// A user who can redirect mail, money or sign-in can become root, so only root changes those.
const root = { write: 'root' } as const;
const rootSecret = { write: 'root', secret: true } as const;

const catalogue = {
  // Server and payment
  ServerAddress: urlSetting('', root),
  WorkerUrl: urlSetting('', root),
  WorkerValidKey: textSetting('', rootSecret),
  /** Hosts (`name` or `name:port`) that webhooks of users may go to although they are private or without TLS. */
  WebhookAllowedHosts: { ...commaListSetting([], (host) => host.toLowerCase()), ...root },
  PayAddress: urlSetting('', root),
  CustomCallbackAddress: urlSetting('', root),
  EpayId: textSetting('', root),
  EpayKey: textSetting('', rootSecret),
  Price: numberSetting(7.3, { min: 0, max: 1_000_000 }),
  MinTopUp: integerSetting(1, { min: 1, max: 1_000_000_000 }),
  TopupGroupRatio: numberMapSetting(null, { ...ratio, isNameAllowed: isGroupName }),
  TopUpLink: urlSetting('', root),

  // Login and registration
  PasswordLoginEnabled: booleanSetting(true),
  PasswordRegisterEnabled: booleanSetting(true),
  RegisterEnabled: booleanSetting(true),
  EmailVerificationEnabled: booleanSetting(false),
  EmailDomainRestrictionEnabled: booleanSetting(false),
  EmailAliasRestrictionEnabled: booleanSetting(false),
  EmailDomainWhitelist: commaListSetting(
    ['gmail.com', '163.com', '126.com', 'qq.com', 'outlook.com', 'hotmail.com', 'icloud.com', 'yahoo.com', 'foxmail.com'],
    (domain) => domain.toLowerCase(),
  ),
  GitHubOAuthEnabled: booleanSetting(false, root),
  GitHubClientId: textSetting('', root),
  GitHubClientSecret: textSetting('', rootSecret),
  LinuxDOOAuthEnabled: booleanSetting(false, root),
  LinuxDOClientId: textSetting('', root),
  LinuxDOClientSecret: textSetting('', rootSecret),
  /** Trust level at Linux DO (0 to 4) below which sign-in is refused. */
  LinuxDOMinimumTrustLevel: integerSetting(0, { min: 0, max: 4 }, root),
  TelegramOAuthEnabled: booleanSetting(false, root),
  TelegramBotToken: textSetting('', rootSecret),
  TelegramBotName: textSetting('', root),
  WeChatAuthEnabled: booleanSetting(false, root),
  WeChatServerAddress: urlSetting('', root),
  WeChatServerToken: textSetting('', rootSecret),
  WeChatAccountQRCodeImageURL: imageSetting('', root),
  TurnstileCheckEnabled: booleanSetting(false, root),
  /** Public, although it is called a key. */
  TurnstileSiteKey: textSetting('', root),
  TurnstileSecretKey: textSetting('', rootSecret),
  'oidc.enabled': booleanSetting(false, root),
  'oidc.client_id': textSetting('', root),
  'oidc.client_secret': textSetting('', rootSecret),
  'oidc.well_known': urlSetting('', root),
  'oidc.authorization_endpoint': urlSetting('', root),
  'oidc.token_endpoint': urlSetting('', root),
  'oidc.user_info_endpoint': urlSetting('', root),

  // Mail
  SMTPServer: textSetting('', root),
  SMTPPort: integerSetting(587, { min: 1, max: 65_535 }, root),
  SMTPSSLEnabled: booleanSetting(false, root),
  SMTPAccount: textSetting('', root),
  SMTPFrom: textSetting('', root),
  SMTPToken: textSetting('', rootSecret),

  // Content
  Notice: longTextSetting(''),
  About: longTextSetting(''),
  HomePageContent: longTextSetting(''),
  Footer: longTextSetting(''),
  SystemName: textSetting('Tidegate'),
  Logo: imageSetting(''),
  'general_setting.docs_link': urlSetting(''),
  /** Each gets a key of the user who opens it: a new site offers none. */
  Chats: chatsSetting([]),

  // General
  /** Quota of one US dollar. */
  QuotaPerUnit: numberSetting(500_000, { min: 1, max: 1_000_000_000_000 }),
  /** Further tries of a failed call, each on a channel not yet tried; 0: none. */
  RetryTimes: integerSetting(3, { min: 0, max: 100 }),
  /** Calls of one conversation stay on one channel while that is well. */
  ChannelAffinityEnabled: booleanSetting(true),
  /** Prompts are marked for the provider's cache, and conversations named to it, where callers do neither. */
  PromptCachingEnabled: booleanSetting(true),
  DisplayInCurrencyEnabled: booleanSetting(true),
  DisplayTokenStatEnabled: booleanSetting(true),
  DefaultCollapseSidebar: booleanSetting(false),
  DemoSiteEnabled: booleanSetting(false),
  SelfUseModeEnabled: booleanSetting(false),

  // Drawing and tasks
  DrawingEnabled: booleanSetting(true),
  TaskEnabled: booleanSetting(true),
  MjNotifyEnabled: booleanSetting(false),
  MjAccountFilterEnabled: booleanSetting(false),
  MjModeClearEnabled: booleanSetting(false),
  MjForwardUrlEnabled: booleanSetting(true),
  MjActionCheckSuccessEnabled: booleanSetting(true),

  // Sensitive words
  CheckSensitiveEnabled: booleanSetting(true),
  CheckSensitiveOnPromptEnabled: booleanSetting(true),
  /** Reads the output of all models, so it is off by default. */
  StopOnSensitiveEnabled: booleanSetting(false),
  SensitiveWords: linesSetting([]),
  StreamCacheQueueLength: integerSetting(0, count),

  ...logSettings,
  ...statusSettings,
  ...retentionSettings,
  ...backupSettings,

  // Monitoring
  /** Seconds that a channel's test may take; 0: no limit. */
  ChannelDisableThreshold: numberSetting(5, { min: 0, max: 86_400 }),
  /** Quota at which users are reminded who have no threshold of their own. */
  QuotaRemindThreshold: integerSetting(1000, amount),
  /** Percent by which the price of calls may be away from what their providers say that they cost; 0: it is not looked at. */
  CostDriftPercent: numberSetting(20, { min: 0, max: 10_000 }),
  /** Per cent and US dollars by which a day's bill of a provider may be away from what its calls should have cost; 0 per cent: no alert. */
  BillDriftPercent: numberSetting(5, { min: 0, max: 10_000 }),
  BillDriftUsd: numberSetting(1, { min: 0, max: 1_000_000 }),
  AutomaticDisableChannelEnabled: booleanSetting(false),
  AutomaticEnableChannelEnabled: booleanSetting(false),
  /** Compared with lower-cased messages. */
  AutomaticDisableKeywords: linesSetting(
    [
      'Your credit balance is too low',
      'This organization has been disabled.',
      'You exceeded your current quota',
      'Permission denied',
      'The security token included in the request is invalid',
      'Operation not allowed',
      'Your account is not authorized',
    ],
    (keyword) => keyword.toLowerCase(),
  ),

  // Quota
  QuotaForNewUser: integerSetting(0, amount),
  QuotaForInviter: integerSetting(0, amount),
  QuotaForInvitee: integerSetting(0, amount),
  /** Tokens that a user may have at a time. */
  MaxTokensPerUser: integerSetting(1000, { min: 1, max: 100_000 }),
  /**
   * Completion tokens that an account must at least be able to pay for, where nothing has been learnt of the model yet. An account
   * that can pay for the model's largest response never meets it.
   */
  PreConsumedQuota: integerSetting(500, amount),
  /** Tokens of the largest response of a model that is not known; what a call that names no limit reserves. */
  DefaultMaxOutputTokens: integerSetting(32_768, { min: 1, max: 10_000_000 }),
  /** A stream beyond its limit that uses up the balance: bring it to its end (below zero, one call at a time), or end it there. */
  StreamOverdraft: choiceSetting('finish', ['finish', 'stop']),

  // Pricing
  ModelRatio: numberMapSetting(null, ratio),
  /** USD per call; wins over the ratio. */
  ModelPrice: numberMapSetting(null, ratio),
  CacheRatio: numberMapSetting(null, ratio),
  /** Of writing to the provider's cache for five minutes; for an hour it is 1.6 times that. */
  CreateCacheRatio: numberMapSetting(null, ratio),
  CreateCache1hRatio: numberMapSetting(null, ratio),
  /** Ratios of audio input; audio output and cached audio, as factors of it. */
  AudioRatio: numberMapSetting(null, ratio),
  AudioCompletionRatio: numberMapSetting(null, ratio),
  AudioCacheRatio: numberMapSetting(null, ratio),
  /** The same of pictures that are seen and drawn. */
  ImageRatio: numberMapSetting(null, ratio),
  ImageCompletionRatio: numberMapSetting(null, ratio),
  CompletionRatio: numberMapSetting(null, ratio),
  /** Factors of a model's price once a prompt is longer than a bound, and in other tiers (`shared/long-inputs.ts`, `service-tiers.ts`). */
  LongInputPrice: numberMapSetting(null, { ...ratio, isNameAllowed: isLongInputName }),
  TierPrice: numberMapSetting(null, { ...ratio, isNameAllowed: isTierPriceName }),
  /** USD per second of video, by resolution and model (`shared/video-prices.ts`). */
  VideoPrice: numberMapSetting(null, { ...ratio, isNameAllowed: isVideoPriceName }),
  /** USD per million tokens that a model is trained by, and of the trained model (`shared/tuning-prices.ts`). */
  FineTuningPrice: numberMapSetting(null, { ...ratio, isNameAllowed: isTuningPriceName }),
  /** USD per 1,000 runs of tools at the provider; one without a price is left out of calls (`shared/tool-prices.ts`). */
  ToolPrice: numberMapSetting(null, ratio),
  /** Runs of such a tool that a call reserves, and is allowed, where its caller names no number. */
  ToolCallsPerRequest: integerSetting(10, { min: 1, max: 1000 }),
  ...priceSyncSettings,
  /** Also defines which groups exist. */
  GroupRatio: numberMapSetting(null, { ...ratio, min: Number.NEGATIVE_INFINITY, isNameAllowed: isGroupName, check: checkGroupRatio }),
  UserUsableGroups: textMapSetting(null),
  /** Groups of group `auto`, in the order in which they are tried. */
  AutoGroups: commaListSetting([]),
  /** New tokens are in group `auto` unless they name another, where their owners may use it. */
  DefaultUseAutoGroup: booleanSetting(false),
  /** User's group → group that is used → factor, in place of that of the group. */
  GroupGroupRatio: nestedNumberMapSetting({ ...ratio, isNameAllowed: isGroupName }),
  /** User's group → group with `+:` (or nothing) to offer or `-:` to withdraw → description. */
  'group_ratio_setting.group_special_usable_group': nestedTextMapSetting(isGroupName),

  // Rate limit of the relay
  ModelRequestRateLimitEnabled: booleanSetting(false),
  /** All requests of a period; 0 and -1: no limit. */
  ModelRequestRateLimitCount: integerSetting(0, { min: -1, max: 1_000_000_000 }),
  /** Successful requests of a period. */
  ModelRequestRateLimitSuccessCount: integerSetting(1000, { min: 1, max: 1_000_000_000 }),
  ModelRequestRateLimitDurationMinutes: integerSetting(1, { min: 0, max: 525_600 }),

  ...limitSettings,

  /** Who may found organisations. */
  OrganisationFounders: choiceSetting('users', ['nobody', 'admins', 'users']),

  // Providers
  'gemini.safety_settings': textMapSetting({ HARM_CATEGORY_CIVIC_INTEGRITY: 'BLOCK_NONE', default: 'OFF' }),
  'gemini.version_settings': textMapSetting({ default: 'v1beta', 'gemini-1.0-pro': 'v1' }),
  'gemini.thinking_adapter_enabled': booleanSetting(true),
  /** Of the limit of a response, for models whose thoughts have a budget. */
  'gemini.thinking_adapter_budget_tokens_percentage': numberSetting(0.6, { min: 0.01, max: 1 }),
  'claude.model_headers_settings': headerMapSetting({}),
  'claude.default_max_tokens': numberMapSetting({ default: 8192 }, { min: 1, max: 10_000_000, isInteger: true }),
  'claude.thinking_adapter_enabled': booleanSetting(true),
  'claude.thinking_adapter_budget_tokens_percentage': numberSetting(0.8, { min: 0.1, max: 1 }),
  'global.pass_through_request_enabled': booleanSetting(false),
  /** Headers of responses to API calls. */
  CostHeaderEnabled: booleanSetting(false),
  ServerTimingEnabled: booleanSetting(false),
};

export type SettingKey = keyof typeof catalogue;
type SettingValues = { [Key in SettingKey]: (typeof catalogue)[Key] extends Setting<infer Value> ? Value : never };
/** What `settings.get(key)` returns. */
export type SettingValue<Key extends SettingKey> = SettingValues[Key];

export const settings: { readonly [Key in SettingKey]: Setting<SettingValues[Key]> } = catalogue;
export const settingKeys: readonly SettingKey[] = Object.keys(catalogue).filter(isSettingKey);

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(catalogue, key);
}

export function isSecret(key: SettingKey): boolean {
  return settings[key].secret === true;
}

/** True when someone of this role may change the setting. */
export function mayWriteSetting(key: SettingKey, role: number): boolean {
  return role >= (settings[key].write === 'root' ? Role.root : Role.admin);
}

/** Names in maps that do something. Others are not entered; where they are stored, nothing else is lost for them. */
const knownNames: Partial<Record<SettingKey, (name: string) => boolean>> = { TierPrice: isKnownTierName, ToolPrice: isToolPriceName };

/** Why a text cannot be entered as a value of that setting; undefined: it can. */
export function settingProblem(key: SettingKey, text: string): SettingProblem | undefined {
  const parsed = settings[key].parse(text, key);
  if (!parsed.ok) return parsed.problem;
  const isKnown = knownNames[key];
  if (isKnown === undefined || typeof parsed.value !== 'object') return undefined;
  const name = Object.keys(parsed.value).find((one) => !isKnown(one));
  return name === undefined ? undefined : { code: 'option_entry_unknown', details: { key, name: name.slice(0, 80) } };
}

/** A switch can be turned on, and a text be filled in, only when what it needs is there; and that stays as long as they do. */
export const settingRequirements: readonly { key: SettingKey; needs: SettingKey; code: ErrorCode }[] = [
  { key: 'GitHubOAuthEnabled', needs: 'GitHubClientId', code: 'github_unconfigured' },
  { key: 'oidc.enabled', needs: 'oidc.client_id', code: 'oidc_unconfigured' },
  { key: 'LinuxDOOAuthEnabled', needs: 'LinuxDOClientId', code: 'linuxdo_unconfigured' },
  { key: 'EmailDomainRestrictionEnabled', needs: 'EmailDomainWhitelist', code: 'email_domains_unconfigured' },
  { key: 'WeChatAuthEnabled', needs: 'WeChatServerAddress', code: 'wechat_unconfigured' },
  { key: 'TurnstileCheckEnabled', needs: 'TurnstileSiteKey', code: 'turnstile_unconfigured' },
  // Without it every check fails: no user could sign in to switch it off.
  { key: 'TurnstileCheckEnabled', needs: 'TurnstileSecretKey', code: 'turnstile_unconfigured' },
  { key: 'TelegramOAuthEnabled', needs: 'TelegramBotToken', code: 'telegram_unconfigured' },
  // The notice of a payment is sent there: without it, people would pay and nothing be credited.
  { key: 'PayAddress', needs: 'ServerAddress', code: 'server_address_required' },
];

/** One value of a map; undefined: the name is not in it. */
export type EntryValue = number | string | undefined;
export type EntryMap = ReadonlyMap<string, number | string>;

export function isMapSetting(key: string): boolean {
  return isSettingKey(key) && (settings[key].kind === 'number_map' || settings[key].kind === 'text_map');
}

/** A map setting's text as a map; null when it is not one (yet). */
export function parseMap(text: string): EntryMap | null {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const entries = Object.entries(value);
    if (!entries.every((entry): entry is [string, number | string] => typeof entry[1] === 'number' || typeof entry[1] === 'string'))
      return null;
    return new Map(entries);
  } catch {
    return null;
  }
}

export interface EntryChange {
  name: string;
  from: EntryValue;
  to: EntryValue;
}

/** What has to be done to the first map to get the second, in the order of their entries. */
export function mapChanges(before: EntryMap, after: EntryMap): EntryChange[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => ({ name, from: before.get(name), to: after.get(name) }));
}
