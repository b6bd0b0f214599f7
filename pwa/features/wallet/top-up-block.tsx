import { NumberInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMarkUnsaved } from '#pwa/ui/form/unsaved-store.ts';
import type { WalletInfo } from '#shared/wallet.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Block } from '#pwa/ui/frame/block.tsx';
import { QueryState, type QueryLike } from '#pwa/ui/frame/query-state.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { amountQuery } from './queries.ts';
import styles from './wallet.module.css';

export interface ChosenAmount {
  amount: number;
  /** Price by the server. */
  money: string;
}

interface TopUpBlockProps {
  query: QueryLike<WalletInfo>;
  /** One button of a screen is filled: not this one while a panel is open. */
  hasFilled: boolean;
  onPay: (chosen: ChosenAmount) => void;
}

export function TopUpBlock({ query, hasFilled, onPay }: TopUpBlockProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const title = t('wallet.top_up.title');
  const info = query.data;
  return (
    <Block
      title={title}
      aside={
        info?.is_online === true && (
          <span className={`${typography.compact} ${typography.muted}`}>
            {info.group_ratio === 1
              ? t('wallet.top_up.rate', { price: format.price(info.price) })
              : t('wallet.top_up.group_rate', {
                  price: format.price(info.price),
                  group: info.group,
                  factor: format.factor(info.group_ratio),
                })}
          </span>
        )
      }
    >
      <QueryState query={query} what={title} lines={4}>
        {(data) =>
          data.is_online ? (
            <Amounts info={data} hasFilled={hasFilled} onPay={onPay} />
          ) : (
            <p className={`${typography.compact} ${typography.muted} ${styles.off}`}>{t('wallet.top_up.off')}</p>
          )
        }
      </QueryState>
    </Block>
  );
}

const pause = 300;

function Amounts({ info, hasFilled, onPay }: { info: WalletInfo; hasFilled: boolean; onPay: (chosen: ChosenAmount) => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const middle = info.presets[Math.min(2, info.presets.length - 1)];
  const [picked, setPicked] = useState(middle?.amount);
  const [typed, setTyped] = useState<number | ''>('');
  useMarkUnsaved(typed !== '');
  const [rested] = useDebouncedValue(typed, pause);
  const isOther = picked === undefined;
  const preset = info.presets.find(({ amount }) => amount === picked);
  const isPriced = isOther && rested !== '' && rested >= info.min_amount;
  const price = useQuery({ ...amountQuery(rested === '' ? 0 : rested), enabled: isPriced });
  const chosen = isOther
    ? isPriced && rested === typed && price.data !== undefined
      ? { amount: rested, money: price.data }
      : undefined
    : preset;
  const quotaOf = (amount: number): number => (info.in_currency ? amount * format.quotaPerUnit : amount);
  const problem =
    typed !== '' && typed < info.min_amount
      ? t('wallet.top_up.below', { amount: format.quota(quotaOf(info.min_amount)) })
      : price.error !== null && isPriced
        ? failureOf(price.error).message
        : undefined;
  return (
    <>
      <div className={styles.tiles} role="group" aria-label={t('wallet.top_up.amount')}>
        {info.presets.map(({ amount, quota, money }) => (
          <button key={amount} type="button" className={styles.tile} aria-pressed={amount === picked} onClick={() => setPicked(amount)}>
            <span>{info.in_currency ? `$${format.count(amount)}` : format.count(quota)}</span>
            <small>¥{money}</small>
          </button>
        ))}
        <button type="button" className={styles.tile} aria-pressed={isOther} onClick={() => setPicked(undefined)}>
          <span>{t('wallet.top_up.other')}</span>
          <small>{t('wallet.top_up.least', { amount: format.quota(quotaOf(info.min_amount)) })}</small>
        </button>
      </div>
      {isOther && (
        <NumberInput
          className={styles.other}
          label={t('wallet.top_up.amount')}
          value={typed}
          onChange={(value) => setTyped(typeof value === 'number' ? value : '')}
          allowDecimal={false}
          allowNegative={false}
          clampBehavior="none"
          thousandSeparator=","
          leftSection={info.in_currency ? '$' : undefined}
          inputMode="numeric"
          error={problem}
          data-autofocus
        />
      )}
      <OnlineButton
        variant={hasFilled ? 'filled' : 'default'}
        fullWidth
        disabled={chosen === undefined}
        loading={isPriced && price.isFetching}
        onClick={() => {
          if (chosen !== undefined) onPay({ amount: chosen.amount, money: chosen.money });
        }}
        label={
          chosen === undefined
            ? t('wallet.top_up.choose')
            : t('wallet.top_up.pay', { amount: format.quota(quotaOf(chosen.amount)), money: chosen.money })
        }
      />
    </>
  );
}
