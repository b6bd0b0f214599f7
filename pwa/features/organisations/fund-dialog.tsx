import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Organisation } from '#shared/organisations.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { FormDialog } from '#pwa/ui/frame/form-dialog.tsx';
import { SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { refusalOf, useFund } from './queries.ts';

interface FundDialogProps {
  organisation: Organisation;
  /** `in`: from the user's balance. `out`: back to it. */
  direction: 'in' | 'out';
  onClose: () => void;
}

/** Moves quota between the user's balance and the wallet of the organisation. */
export function FundDialog(props: FundDialogProps) {
  const { t } = useTranslation();
  return (
    <FormDialog title={t(`organisations.fund.${props.direction}`, { name: props.organisation.name })} onClose={props.onClose}>
      <FundForm {...props} />
    </FormDialog>
  );
}

function FundForm({ organisation, direction, onClose }: FundDialogProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const self = useQuery(selfQuery).data;
  const fund = useFund(organisation.id);
  const [amount, setAmount] = useState<number | ''>('');
  const [isMissing, setMissing] = useState(false);
  const moved = amount === '' ? 0 : amount;
  const available = (direction === 'in' ? self?.quota : organisation.quota) ?? 0;
  const sign = direction === 'in' ? 1 : -1;
  const change = (before: number, after: number) => (
    <>
      {format.quota(before)} → <b>{format.quota(after)}</b>
    </>
  );
  return (
    <form
      className={layout.stackMd}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setMissing(moved <= 0);
        if (moved <= 0 || fund.isPending) return;
        fund.mutate(
          { amount: moved, direction },
          {
            onSuccess: () => {
              toastSuccess(t('organisations.fund.done', { amount: format.quota(moved) }));
              onClose();
            },
          },
        );
      }}
    >
      <QuotaInput
        label={t('organisations.fund.amount')}
        value={amount}
        error={isMissing ? t('organisations.problem.amount_required') : refusalOf(fund.error)}
        presets={[10, 50, 100, 500].map((usd) => usd * format.quotaPerUnit).filter((preset) => preset <= available)}
        onChange={setAmount}
      />
      {self !== undefined && (
        <SummaryList
          items={[
            { name: t('organisations.fund.own'), value: change(self.quota, self.quota - sign * moved) },
            { name: organisation.name, value: change(organisation.quota ?? 0, (organisation.quota ?? 0) + sign * moved) },
          ]}
        />
      )}
      <OnlineButton
        type="submit"
        variant="filled"
        loading={fund.isPending}
        label={moved === 0 ? t(`organisations.fund.submit_${direction}`) : t('organisations.fund.confirm', { amount: format.quota(moved) })}
      />
    </form>
  );
}
