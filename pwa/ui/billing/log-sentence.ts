// What a row of the log says that is no call, in the reader's language. Its texts are those of the logs.
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { otherOf } from '#shared/log-other.ts';
import type { Log, LogEvent, RefusalFacts } from '#shared/logs.ts';
import { useFormat } from './format-context.ts';

export function refusalOf(log: Log): RefusalFacts | undefined {
  return otherOf(log)?.refusal;
}

/** What happened, in the reader's language where the row knows it in a form for that; else as it was written. */
export function useLogSentence(): (log: Log) => string {
  const { t, i18n } = useTranslation();
  const format = useFormat();
  return (log) => {
    const refusal = refusalOf(log);
    if (refusal !== undefined) return ownWords(refusal, t) ?? refusal.reason[i18n.language.startsWith('zh') ? 'zh' : 'en'];
    const { event, admin_info: admin } = otherOf(log) ?? {};
    if (event === undefined) return log.content;
    const sentence = eventSentence(event);
    return admin?.by === undefined ? sentence : t('logs.event_by', { sentence, name: admin.by });
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
      case 'call_refunded':
        return t('logs.event.call_refunded', {
          amount: format.quota(event.amount),
          id: event.call,
          model: event.model,
          reason: event.reason,
        });
      case 'quota_set':
        return event.reason === undefined
          ? t('logs.event.quota_set', { from: format.quota(event.from), to: format.quota(event.to) })
          : t('logs.event.quota_set_because', { from: format.quota(event.from), to: format.quota(event.to), reason: event.reason });
      case 'binding_removed':
        return t('logs.event.binding_removed', { binding: event.binding });
      case 'sessions_ended':
        return t('logs.event.sessions_ended', { count: event.count });
      case 'logs_deleted':
        return t('logs.event.logs_deleted', { count: event.count, time: format.dateTime(event.before) });
      case 'settings_changed':
        return t('logs.event.settings_changed', { keys: event.keys });
      case 'channel_draft_tested':
        return t('logs.event.channel_draft_tested', { name: event.name, model: event.model });
      default:
        return t(`logs.event.${event.code}`);
    }
  }
}

const englishOnly = new Set(['model_required', 'invalid_text_request', 'invalid_embedding_request', 'sensitive_words_detected']);

/** What callers are told in English whatever their language is, because clients know these sentences. */
export function ownWords({ code, reason }: RefusalFacts, t: TFunction): string | undefined {
  const isToken = code === 'pre_consume_token_quota_failed';
  if (isToken || code === 'insufficient_user_quota') {
    const [, remain, need] = /quota: (.+), need quota: (.+)$/.exec(reason.en) ?? [];
    if (remain === undefined || need === undefined) return isToken ? undefined : t('logs.refusal.no_credit');
    return t(isToken ? 'logs.refusal.token_short' : 'logs.refusal.user_short', { remain, need });
  }
  return englishOnly.has(code) ? t(`logs.refusal.said.${code}`) : undefined;
}
