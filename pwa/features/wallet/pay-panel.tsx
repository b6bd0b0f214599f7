import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { topUpQuota } from '#shared/top-up-price.ts';
import { walletApi, type WalletInfo } from '#shared/wallet.ts';
import { callWithExtra } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { daysLeft, lastingText, weekSpendQuery } from '#pwa/api/lasting.ts';
import { accountQuery } from '#pwa/api/account.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { useMethodName } from './method-name.ts';
import { priceLines } from './price-lines.ts';
import { refreshMoney } from './refresh-money.ts';
import { submitPayment } from './submit-payment.ts';
import type { ChosenAmount } from './top-up-block.tsx';
import styles from './wallet.module.css';

interface PayPanelProps {
  chosen: ChosenAmount;
  info: WalletInfo;
  onClose: () => void;
  onOrdered: (tradeNo: string) => void;
}

/** What it costs and how it is paid, before anything is ordered. */
export function PayPanel({ chosen: { amount, money }, info, onClose, onOrdered }: PayPanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const methodName = useMethodName();
  const [method, setMethod] = useState(info.methods[0] ?? '');
  const quota = topUpQuota(amount, {
    inCurrency: info.in_currency,
    quotaPerUnit: format.quotaPerUnit,
    price: info.price,
    ratio: info.group_ratio,
    minimum: 1,
  });
  const pay = useMutation({
    mutationFn: () => callWithExtra(walletApi.pay, { body: { amount, payment_method: method } }),
    meta: { quiet: true },
    onSuccess: async ({ data, extra }) => {
      submitPayment({ url: extra.url, fields: data });
      onOrdered(extra.trade_no);
      await refreshMoney(client);
    },
  });
  return (
    <SidePanel
      title={t('wallet.pay.title')}
      takesFocus
      onClose={onClose}
      foot={
        <OnlineButton
          variant="filled"
          fullWidth
          loading={pay.isPending}
          disabled={method === ''}
          onClick={() => pay.mutate()}
          label={t('wallet.pay.action', { method: methodName(method), money })}
        />
      }
    >
      <PriceTable chosen={{ amount, money }} info={info} quota={quota} />
      <Afterwards quota={quota} />
      <fieldset className={`${layout.stackSm} ${styles.methods}`}>
        <legend>{t('wallet.pay.method')}</legend>
        {info.methods.map((id) => (
          <label key={id} className={`${layout.row} ${styles.method}`} data-checked={id === method || undefined}>
            <input type="radio" name="payment-method" value={id} checked={id === method} onChange={() => setMethod(id)} />
            {methodName(id)}
          </label>
        ))}
      </fieldset>
      {pay.error !== null && (
        <p role="alert" className={`${typography.compact} ${styles.after}`}>
          <StatusMark status="failed">{failureOf(pay.error).message}</StatusMark>
        </p>
      )}
      <p className={`${typography.compact} ${typography.muted} ${styles.hint}`}>{t('wallet.pay.hint')}</p>
    </SidePanel>
  );
}

/** The balance once it is credited, and how long that lasts. */
function Afterwards({ quota }: { quota: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const self = useQuery(accountQuery()).data;
  const spend = useQuery(weekSpendQuery).data;
  if (self === undefined) return null;
  const amount = format.quota(self.quota + quota);
  const days = spend === undefined ? undefined : daysLeft(self.quota + quota, spend.quota, self.created_time);
  if (days === undefined) return <p className={`${typography.compact} ${styles.after}`}>{t('wallet.pay.after', { amount })}</p>;
  const time = t(`wallet.balance.${lastingText(days)}`, { count: Math.floor(days) });
  return <p className={`${typography.compact} ${styles.after}`}>{t('wallet.pay.after_lasting', { amount, time })}</p>;
}

/** The lines as a receipt has them. */
function PriceTable({ chosen: { amount, money }, info, quota }: Pick<PayPanelProps, 'chosen' | 'info'> & { quota: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const lines = priceLines(amount, money, info, format.quotaPerUnit);
  return (
    <table className={styles.price}>
      <tbody>
        <tr>
          <th scope="row">{t('wallet.pay.credited')}</th>
          <td>{format.quota(quota)}</td>
        </tr>
        {lines !== null && (
          <tr>
            <th scope="row">× {format.price(info.price)}</th>
            <td>¥{lines.base}</td>
          </tr>
        )}
        {lines?.group !== undefined && (
          <tr>
            <th scope="row">{t('wallet.pay.group', { group: info.group, factor: format.factor(info.group_ratio) })}</th>
            <td>{lines.group}</td>
          </tr>
        )}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{t('wallet.pay.due')}</th>
          <td>¥{money}</td>
        </tr>
      </tfoot>
    </table>
  );
}
