// What a row of the log says that is no call, in the reader's language. Its texts are those of the logs.
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { otherOf } from '#shared/log-other.ts';
import type { LogEvent } from '#shared/log-event.ts';
import { type Log, LogType } from '#shared/logs.ts';
import { quotaSettings } from '#shared/quota-settings.ts';
import type { RefusalFacts } from '#shared/refusal-facts.ts';
import type { Format } from './format.ts';
import { useFormat } from './format-context.ts';

export function refusalOf(log: Log): RefusalFacts | undefined {
  return otherOf(log)?.refusal;
}

/**
 * Returns what happened, in the reader's language where the row knows it in a form for that; else as it was written. Undefined while the
 * texts that it needs are loaded: the place is `aria-busy` then. Texts that cannot be loaded count as ready.
 */
export function useLogSentence(logs: readonly Log[]): (log: Log, options?: { withoutActor?: true }) => string | undefined {
  // Settings have the names that their screen gives them; few rows need those.
  const { t, i18n, ready } = useTranslation(logs.some(isOfSettings) ? ['common', 'settings'] : 'common');
  const format = useFormat();
  return (log, { withoutActor } = {}) => {
    if (!ready && isOfSettings(log)) return undefined;
    const refusal = refusalOf(log);
    if (refusal !== undefined) return refusalSentence(refusal, { t, format, isChinese: i18n.language.startsWith('zh') });
    const { event, admin_info: admin } = otherOf(log) ?? {};
    if (event === undefined) return log.content;
    const sentence = eventSentence(event);
    return admin?.by === undefined || withoutActor === true ? sentence : t('logs.event_by', { sentence, name: admin.by });
  };

  function eventSentence(event: LogEvent): string {
    switch (event.code) {
      case 'signup_bonus':
      case 'invitee_bonus':
      case 'inviter_reward':
      case 'earnings_transferred':
        return t(`logs.event.${event.code}`, { amount: format.quota(event.amount) });
      case 'topped_up':
        return t('logs.event.topped_up', { amount: format.quota(event.amount), money: event.money });
      case 'code_redeemed':
        return t('logs.event.code_redeemed', { amount: format.quota(event.amount), id: event.redemption_id });
      case 'task_refunded':
        return t('logs.event.task_refunded', { amount: format.quota(event.amount), id: event.task_id });
      case 'task_lost':
        return t('logs.event.task_lost', { id: event.request_id, action: event.action });
      case 'batch_settled':
      case 'tuning_settled':
      case 'store_day':
      case 'cache_ended':
        return storedObjectSentence(event, { t, format });
      case 'call_refunded':
        return t('logs.event.call_refunded', { ...event, id: event.call, amount: format.quotaExact(event.amount) });
      case 'quota_set':
        return quotaSentence(event, { t, format });
      case 'sessions_ended':
        return t('logs.event.sessions_ended', { count: event.count });
      case 'logs_deleted':
        return t('logs.event.logs_deleted', { count: event.count, time: format.dateTime(event.before) });
      case 'settings_changed':
        return settingsSentence(event);
      case 'group_removed':
        return t(event.to === undefined ? 'logs.event.group_removed' : 'logs.event.group_moved', { ...event });
      case 'channel_draft_tested':
        return t('logs.event.channel_draft_tested', { name: event.name, model: event.model });
      default:
        return t(`logs.event.${event.code}`, { ...event });
    }
  }

  function settingsSentence({ keys, changes = [], more = 0 }: SettingsEvent): string {
    // Rows of earlier versions name the settings only.
    if (changes.length === 0) return t('logs.event.settings_changed', { keys: keys.split(', ').map(settingName).join(', ') });
    const parts = changes.map(({ key, name, before, after, is_secret: isSecret }) => {
      const what = name === undefined ? settingName(key) : t('logs.event.setting_entry', { setting: settingName(key), name });
      if (isSecret === true) return t('logs.event.setting_secret', { setting: what });
      if (before === undefined && after === undefined) return t('logs.event.settings_changed', { keys: what });
      return t('logs.event.setting_from_to', { setting: what, before: settingValue(key, before), after: settingValue(key, after) });
    });
    return [...parts, ...(more > 0 ? [t('logs.event.settings_more', { count: more })] : [])].join(t('logs.event.settings_joint'));
  }

  /** Of a setting that this console does not show, its key. */
  function settingName(key: string): string {
    const text = `settings.option.${key.replaceAll('.', '_')}.label`;
    return i18n.exists(text) ? t(text) : key;
  }

  function settingValue(key: string, value: string | undefined): string {
    if (quotaSettings.has(key) && value !== undefined && /^\d{1,15}$/.test(value)) return format.quota(Number(value));
    if (value === undefined) return t('logs.event.setting_absent');
    if (value === '') return t('logs.event.setting_empty');
    if (value === 'true' || value === 'false') return t(value === 'true' ? 'logs.event.setting_on' : 'logs.event.setting_off');
    // Prices are stored as ratios, some of which never end.
    return /^-?\d+\.\d{7,}$/.test(value) ? String(Number(Number(value).toPrecision(6))) : value;
  }
}

type SettingsEvent = Extract<LogEvent, { code: 'settings_changed' }>;

function isOfSettings(log: Log): boolean {
  return log.type === LogType.management && otherOf(log)?.event?.code === 'settings_changed';
}

type BatchEvent = Extract<LogEvent, { code: 'batch_settled' }>;
type StoreEvent = Extract<LogEvent, { code: 'store_day' }>;
type CacheEvent = Extract<LogEvent, { code: 'cache_ended' }>;
type TuningEvent = Extract<LogEvent, { code: 'tuning_settled' }>;

interface SentenceTools {
  t: TFunction;
  format: Format;
}

function quotaSentence({ from, to, reason }: Extract<LogEvent, { code: 'quota_set' }>, { t, format }: SentenceTools): string {
  const amounts = { from: format.quota(from), to: format.quota(to) };
  return reason === undefined ? t('logs.event.quota_set', amounts) : t('logs.event.quota_set_because', { ...amounts, reason });
}

/** Returns the sentence of an event about an object stored at a provider. */
function storedObjectSentence(event: BatchEvent | CacheEvent | StoreEvent | TuningEvent, telling: SentenceTools): string {
  if (event.code === 'tuning_settled') return tuningSentence(event, telling);
  if (event.code === 'cache_ended') return cacheSentence(event, telling);
  return event.code === 'batch_settled' ? batchSentence(event, telling) : storeSentence(event, telling);
}

function batchSentence(event: BatchEvent, { t, format }: SentenceTools): string {
  return t(event.amount < 0 ? 'logs.event.batch_settled_beyond' : 'logs.event.batch_settled', {
    id: event.batch,
    model: event.model,
    answered: format.count(event.answered),
    requests: format.count(event.requests),
    input: format.count(event.prompt_tokens),
    output: format.count(event.completion_tokens),
    cost: format.quotaExact(event.cost),
    amount: format.quotaExact(Math.abs(event.amount)),
  });
}

function storeSentence(event: StoreEvent, { t, format }: SentenceTools): string {
  return t('logs.event.store_day', {
    id: event.name === '' ? event.store : event.name,
    megabytes: format.ratio(Number((event.bytes / 2 ** 20).toPrecision(3))),
    hours: format.ratio(Number(((event.until - event.from) / 3600).toPrecision(3))),
    cost: format.quotaExact(-event.amount),
  });
}

function cacheSentence(event: CacheEvent, { t, format }: SentenceTools): string {
  return t('logs.event.cache_ended', {
    id: event.cache,
    model: event.model,
    tokens: format.count(event.tokens),
    hours: format.ratio(Number(((event.until - event.from) / 3600).toPrecision(3))),
    cost: format.quotaExact(event.cost),
    amount: format.quotaExact(event.amount),
  });
}

function tuningSentence(event: TuningEvent, { t, format }: SentenceTools): string {
  const isKnown = event.status === 'succeeded' || event.status === 'cancelled' || event.status === 'failed';
  return t(event.amount < 0 ? 'logs.event.tuning_settled_beyond' : 'logs.event.tuning_settled', {
    id: event.job,
    model: event.model,
    status: isKnown ? t(`logs.event.tuning_status.${event.status}`) : event.status,
    tokens:
      event.source === 'estimated' ? t('logs.event.tuning_reckoned', { count: format.count(event.tokens) }) : format.count(event.tokens),
    cost: format.quotaExact(event.cost),
    amount: format.quotaExact(Math.abs(event.amount)),
    tuned: event.tuned === '' ? '' : t('logs.event.tuning_tuned', { name: event.tuned }),
  });
}

const englishOnly = new Set(['model_required', 'invalid_text_request', 'invalid_embedding_request', 'sensitive_words_detected']);

/** Why calls were refused, in the reader's language. */
export function useRefusalSentence(): (facts: Pick<RefusalFacts, 'code' | 'reason'>) => string {
  const { t, i18n } = useTranslation();
  const format = useFormat();
  return (facts) => reasonSentence(facts, { t, format, isChinese: i18n.language.startsWith('zh') });
}

interface RefusalTools extends SentenceTools {
  isChinese: boolean;
}

function refusalSentence(refusal: RefusalFacts, telling: RefusalTools): string {
  const reason = reasonSentence(refusal, telling);
  // It names one of several models.
  return refusal.is_others === true && refusal.count > 1 ? telling.t('logs.refusal.last_said', { reason }) : reason;
}

function reasonSentence(refusal: Pick<RefusalFacts, 'code' | 'reason'>, { t, format, isChinese }: RefusalTools): string {
  return ownWords(refusal, t, format) ?? refusal.reason[isChinese ? 'zh' : 'en'].replaceAll('＄', '$');
}

/** Replaces sentences that callers get in English, or in two languages at once, because clients know them; undefined for others. */
export function ownWords(
  { code, reason }: Pick<RefusalFacts, 'code' | 'reason'>,
  t: TFunction,
  format: Pick<Format, 'price' | 'quotaExact'>,
): string | undefined {
  const isToken = code === 'pre_consume_token_quota_failed';
  if (isToken || code === 'insufficient_user_quota') {
    const [, remain, need] = /quota: (.+), need quota: (.+)$/.exec(reason.en) ?? [];
    if (remain === undefined || need === undefined) return isToken ? undefined : t('logs.refusal.no_credit');
    return t(isToken ? 'logs.refusal.token_short' : 'logs.refusal.user_short', {
      remain: amountOf(remain, format),
      need: amountOf(need, format),
    });
  }
  if (code === 'model_price_error' || code === 'model_price_error_admin') {
    // Its Chinese text repeats itself in English.
    const [, model] = /^Model (.+) ratio or price not set/s.exec(reason.en) ?? [];
    if (model !== undefined) return t('logs.refusal.no_price', { model });
  }
  return englishOnly.has(code) ? t(`logs.refusal.said.${code}`) : undefined;
}

/** Of `＄0.020000`, or of quota, as the settings were when it was written. */
function amountOf(text: string, { price, quotaExact }: Pick<Format, 'price' | 'quotaExact'>): string {
  const [, sign, digits = ''] = /^([＄$]?)(-?[\d.]+)$/.exec(text.trim()) ?? [];
  const amount = Number(digits);
  if (digits === '' || !Number.isFinite(amount)) return text;
  return sign === '' ? quotaExact(amount) : `${amount < 0 ? '\u2212' : ''}$${price(Math.abs(amount))}`;
}
