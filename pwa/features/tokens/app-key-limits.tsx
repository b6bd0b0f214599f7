import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { tokenNameLimit } from '#shared/tokens.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import type { KeyLimitsProps } from '#pwa/records/key-limits.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { problemTexts, showOnField } from '#pwa/ui/form/field-errors.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { never } from '#pwa/records/tokens/token-limits.ts';
import { createBody, emptyToken, tokenProblems, type TokenValues } from './token-form.ts';

// Most people leave the proposed limits as they are.
const TokenFields = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./token-fields.tsx'), loadTexts('limits')]);
    return part;
  },
  (part) => part.TokenFields,
);

/** All limits of a token, for a key that an application requests. */
export function AppKeyLimits({ name, usd, expiry, children }: KeyLimitsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const form = useForm<TokenValues>({
    initialValues: {
      ...emptyToken,
      name: Array.from(name).slice(0, tokenNameLimit).join(''),
      remain_quota: Math.round(usd * format.quotaPerUnit),
      expired_time: expiry,
    },
    validate: (values) =>
      problemTexts(tokenProblems(values, { now: Date.now() / 1000 }), (problem) =>
        t(`tokens.problem.${problem}`, { limit: tokenNameLimit }),
      ),
  });
  const { values } = form;
  return children({
    chosen: {
      quota: values.unlimited_quota ? undefined : Number(values.remain_quota),
      expiry: values.expired_time === never ? -1 : values.expired_time,
      models: values.model_limits_enabled ? values.model_limits.length : undefined,
    },
    fields: <TokenFields form={form} hasCount={false} />,
    hasError: Object.keys(form.errors).length > 0,
    read() {
      if (form.validate().hasErrors) return undefined;
      const { count: _one, ...limits } = createBody(form.getValues());
      return limits;
    },
    showFailure: (failure) => showOnField(form, failure),
  });
}
