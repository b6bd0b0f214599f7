import { useTranslation } from 'react-i18next';
import { type Redemption, RedemptionStatus } from '#shared/redemptions.ts';
import { type OpenRecordWays, RecordPanel } from '#pwa/records/record-panel.tsx';
import { useToggleCode } from './code-actions.ts';
import { CodeFields } from './code-fields.tsx';
import { verbOf } from './code-labels.tsx';
import { CodeStanding } from './code-standing.tsx';
import { useCodeComparison } from './use-code-comparison.ts';
import { useEditedCode } from './use-code-form.ts';

/** One code: how it stands, and, while it can be redeemed, the form that changes it. */
export function CodePanel({ code, ...ways }: OpenRecordWays & { code: Redemption }) {
  const { t } = useTranslation();
  const edited = useEditedCode(code);
  const toggle = useToggleCode();
  const verb = verbOf(code);
  return (
    <RecordPanel
      {...ways}
      formId="redemption"
      edited={edited}
      comparison={useCodeComparison()}
      standing={<CodeStanding code={code} />}
      history={`code:${code.id}`}
      heading={t('redemptions.panel.edit')}
      isReadOnly={code.status !== RedemptionStatus.unused}
      toggle={verb && { label: t(`redemptions.action.${verb}`), isPending: toggle.isPending, onToggle: () => toggle.mutate(code) }}
    >
      <CodeFields form={edited.form} isNew={false} />
    </RecordPanel>
  );
}
