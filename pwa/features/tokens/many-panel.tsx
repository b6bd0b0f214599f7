import { Button, Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { tokenNameLimit } from '#shared/tokens.ts';
import { failureOf, refusalText } from '#pwa/api/failure.ts';
import { BudgetList } from '#pwa/records/limits/budget-list.tsx';
import { RateList } from '#pwa/records/limits/rate-list.tsx';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { focusFirstError, problemTexts, showOnField } from '#pwa/ui/form/field-errors.ts';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { emptyMany, manyBody, type ManyPart, manyParts, manyProblems, type ManyValues, withPart } from './many-values.ts';
import { useEditTokens } from './token-actions.ts';
import styles from './token-edits.module.css';
import { AddressesField } from '#pwa/records/tokens/addresses-field.tsx';
import { BudgetField, GroupField, ModelsField, picks, QuotaFields, TokenExpiry } from './token-fields.tsx';
import type { TokenForm } from './use-token-form.ts';

interface ManyPanelProps {
  ids: readonly number[];
  onDone: () => void;
  onClose: () => void;
}

const formId = 'many-tokens';

/** Changes many tokens alike: what is switched on changes, everything else stays as it is in each. */
export function ManyPanel({ ids, onDone, onClose }: ManyPanelProps) {
  const { t } = useTranslation();
  const { form, fields, edit, submit } = useManyForm(ids, onDone);
  const { parts } = form.values;
  const count = ids.length;
  return (
    <SidePanel
      title={t('token_edits.many.title', { count })}
      takesFocus
      isTall
      onClose={onClose}
      onSave={() => submit()}
      foot={
        <>
          <Button onClick={onClose}>{t('common.action.cancel')}</Button>
          <OnlineButton
            variant="filled"
            type="submit"
            form={formId}
            loading={edit.isPending}
            disabled={parts.length === 0}
            label={t('token_edits.many.save', { count })}
          />
        </>
      }
    >
      <form id={formId} className={`${layout.stackLg} ${styles.form}`} noValidate onSubmit={submit}>
        <p className={typography.muted}>{t('token_edits.many.hint')}</p>
        {manyParts.map((part) => {
          const isOn = parts.includes(part);
          return (
            <div key={part} className={layout.stackSm}>
              <Switch
                label={t(`token_edits.many.${part}`)}
                checked={isOn}
                onChange={(event) => form.setFieldValue('parts', withPart(parts, part, event.currentTarget.checked))}
              />
              {isOn && fields[part]}
            </div>
          );
        })}
        <Refusal text={refusalText(edit.error, form)} />
      </form>
      <UnsavedEdits when={parts.length > 0} />
    </SidePanel>
  );
}

function useManyForm(ids: readonly number[], onDone: () => void) {
  const { t } = useTranslation();
  const format = useFormat();
  const edit = useEditTokens();
  const form = useForm<ManyValues>({
    initialValues: emptyMany,
    validate: (values) =>
      problemTexts(manyProblems(values, Date.now() / 1000), (problem) =>
        problem === 'refill_required' ? t('token_edits.many.required') : t(`tokens.problem.${problem}`, { limit: tokenNameLimit }),
      ),
  });
  const submit = form.onSubmit(
    (values) => {
      edit.mutate(manyBody(ids, values), {
        onSuccess: ({ changed, same }) => {
          toastSuccess(t(same === 0 ? 'token_edits.many.done' : 'token_edits.many.done_same', { count: changed }));
          onDone();
        },
        onError: (error) => showOnField(form, failureOf(error)),
      });
    },
    () => focusFirstError(formId),
  );
  const tokenForm: Pick<TokenForm, 'values' | 'errors' | 'setFieldValue' | 'getInputProps'> = form;
  const fields: Record<ManyPart, ReactNode> = {
    quota: <QuotaFields form={tokenForm} />,
    refill: (
      <QuotaInput
        label={t('token_edits.many.amount')}
        value={form.values.refill}
        onChange={(units) => form.setFieldValue('refill', units)}
        error={form.errors['refill']}
        presets={picks.map((usd) => usd * format.quotaPerUnit)}
      />
    ),
    expiry: <TokenExpiry form={tokenForm} />,
    models: <ModelsField form={tokenForm} />,
    group: <GroupField form={tokenForm} />,
    ips: <AddressesField {...tokenForm.getInputProps('allow_ips')} />,
    session_budget: <BudgetField form={tokenForm} />,
    rate_limits: (
      <RateList
        drafts={form.values.rate_limits}
        before={[]}
        error={form.errors['rate_limits']}
        onChange={(drafts) => form.setFieldValue('rate_limits', drafts)}
      />
    ),
    budgets: (
      <BudgetList
        drafts={form.values.budgets}
        before={[]}
        error={form.errors['budgets']}
        onChange={(drafts) => form.setFieldValue('budgets', drafts)}
      />
    ),
  };
  return { form, fields, edit, submit };
}
