import { useTranslation } from 'react-i18next';
import { UserToken } from '#shared/user-tokens.ts';
import type { RecordComparison } from '#pwa/records/record-panel.tsx';
import { useLimitWords } from '#pwa/records/limits/use-limit-words.ts';
import { limitProblems, never } from '#pwa/records/tokens/token-limits.ts';
import { useEditedRecord } from '#pwa/records/use-edited-record.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { problemTexts } from '#pwa/ui/form/field-errors.ts';
import { type ComparedLimit, limitBody, limitChanges, type LimitValues, limitValuesOf } from './limit-form.ts';
import { useEditUserToken } from './queries.ts';

export function useLimitForm(token: UserToken) {
  const { t } = useTranslation();
  const problems = (values: LimitValues, base: UserToken): Record<string, string> =>
    problemTexts(limitProblems(values, { now: Date.now() / 1000, before: base }), (problem) => t(`tokens.problem.${problem}`));
  return useEditedRecord(token, { valuesOf: limitValuesOf, problems, edit: useEditUserToken(), schema: UserToken, bodyOf: limitBody });
}

export type LimitForm = ReturnType<typeof useLimitForm>['form'];

/** Changes that others made meanwhile, in words. */
export function useLimitComparison(): RecordComparison<UserToken, ComparedLimit> {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useLimitWords();
  return {
    changesBetween: limitChanges,
    nameOf: (field) => t(field === 'held' ? 'user-tokens.held.label' : `tokens.field.${field}`),
    show(field, token) {
      if (field === 'held') return (token.held ?? []).map((limit) => t(`user-tokens.held.${limit}`)).join(', ');
      if (field === 'rate_limits') return words.rates(token.rate_limits);
      if (field === 'budgets') return words.budgets(token.budgets);
      if (field === 'remain_quota') return token.unlimited_quota ? t('tokens.unlimited') : format.quota(token.remain_quota);
      if (field === 'unlimited_quota') return t(token.unlimited_quota ? 'tokens.unlimited' : 'tokens.limited');
      if (field === 'expired_time') return token.expired_time === never ? t('tokens.never') : format.dateTime(token.expired_time);
      if (field === 'model_limits_enabled') return t(token.model_limits_enabled ? 'tokens.limited' : 'tokens.any_model');
      if (field === 'status') return t(token.status === 2 ? 'tokens.status.disabled' : 'tokens.status.enabled');
      return token[field];
    },
  };
}
