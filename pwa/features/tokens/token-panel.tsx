import { useTranslation } from 'react-i18next';
import type { HeldLimit, Token } from '#shared/tokens.ts';
import { isFree } from '#pwa/records/managed-record.ts';
import { LimitsPart } from '#pwa/records/limits/limits-part.tsx';
import { type OpenRecordWays, RecordPanel } from '#pwa/records/record-panel.tsx';
import { useToggleToken } from './token-actions.ts';
import { TokenFields } from './token-fields.tsx';
import { verbOf } from './token-labels.tsx';
import { TokenStanding } from './token-standing.tsx';
import { useTokenComparison } from './use-token-comparison.ts';
import { useEditedToken } from './use-token-form.ts';

/** One token: how it stands, its key, and the form that changes it. */
export function TokenPanel({ token, ...ways }: OpenRecordWays & { token: Token }) {
  const { t } = useTranslation();
  const edited = useEditedToken(token);
  const toggle = useToggleToken();
  return (
    <RecordPanel
      {...ways}
      formId="token"
      edited={edited}
      comparison={useTokenComparison()}
      standing={<TokenStanding token={token} />}
      history={`token:${token.id}`}
      heading={t('tokens.panel.edit')}
      isManaged={token.managed_by !== undefined}
      limits={<TokenLimits token={token} edited={edited} />}
      toggle={
        isFree(token, 'status')
          ? { label: t(`tokens.action.${verbOf(token)}`), isPending: toggle.isPending, onToggle: () => toggle.mutate(token) }
          : undefined
      }
    >
      <TokenFields form={edited.form} hasCount={false} managedBy={token.managed_by} />
    </RecordPanel>
  );
}

/** Budgets and rate limits of the token, and those of its owner and the site that bind it. */
function TokenLimits({ token, edited: { form, base } }: { token: Token; edited: ReturnType<typeof useEditedToken> }) {
  const { t } = useTranslation();
  const lock = (limit: HeldLimit): string | undefined => {
    if (token.managed_by !== undefined) return t('common.managed.by', { file: token.managed_by });
    return token.held?.includes(limit) === true ? t('limits.held') : undefined;
  };
  const edit = <Field extends 'budgets' | 'rate_limits'>(field: Field) => ({
    drafts: form.values[field],
    error: form.errors[field],
    lock: lock(field),
  });
  return (
    <LimitsPart
      owner={{ token_id: String(token.id) }}
      scope="token"
      before={base}
      budgets={{ ...edit('budgets'), onChange: (drafts) => form.setFieldValue('budgets', drafts) }}
      rates={{ ...edit('rate_limits'), onChange: (drafts) => form.setFieldValue('rate_limits', drafts) }}
    />
  );
}
