import { useTranslation } from 'react-i18next';
import type { Token } from '#shared/tokens.ts';
import type { RecordComparison } from '#pwa/records/record-panel.tsx';
import { useLimitWords } from '#pwa/records/limits/use-limit-words.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { changesBetween, type ComparedField } from './token-form.ts';
import { useExpiryText } from './token-labels.tsx';

/** Changes of a token that others made while its form was open, in words. */
export function useTokenComparison(): RecordComparison<Token, ComparedField> {
  const { t } = useTranslation();
  const format = useFormat();
  const expiry = useExpiryText();
  const words = useLimitWords();
  return {
    changesBetween,
    nameOf: (field) => t(`tokens.field.${field}`),
    show: (field, token) => {
      if (field === 'remain_quota') return token.unlimited_quota ? t('tokens.unlimited') : format.quota(token.remain_quota);
      if (field === 'unlimited_quota') return t(token.unlimited_quota ? 'tokens.unlimited' : 'tokens.limited');
      if (field === 'expired_time') return expiry(token.expired_time);
      if (field === 'model_limits_enabled') return t(token.model_limits_enabled ? 'tokens.limited' : 'tokens.any_model');
      if (field === 'status') return t(token.status === 2 ? 'tokens.status.disabled' : 'tokens.status.enabled');
      if (field === 'group') return token.group === '' ? t('tokens.own_group') : token.group;
      if (field === 'session_budget')
        return (token.session_budget ?? 0) === 0 ? t('tokens.no_budget') : format.quota(token.session_budget ?? 0);
      if (field === 'rate_limits') return words.rates(token.rate_limits);
      if (field === 'budgets') return words.budgets(token.budgets);
      if (field === 'auto_groups') return token.auto_groups ?? '';
      if (field === 'cross_group_retry') return t(token.cross_group_retry === true ? 'tokens.status.enabled' : 'tokens.status.disabled');
      return token[field];
    },
  };
}
