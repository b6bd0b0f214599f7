import { useTranslation } from 'react-i18next';
import type { Token } from '#shared/tokens.ts';
import { isFree } from '#pwa/records/managed-record.ts';
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
