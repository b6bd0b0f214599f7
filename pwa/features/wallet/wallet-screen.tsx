import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { BalanceBlock } from './balance-block.tsx';
import { HistoryBlock } from './history-block.tsx';
import { PendingOrder } from './pending-order.tsx';
import { walletQuery } from './queries.ts';
import { RedeemBlock } from './redeem-block.tsx';
import { type ChosenAmount, TopUpBlock } from './top-up-block.tsx';
import type { WalletSearch } from './wallet-search.ts';
import styles from './wallet.module.css';

const PayPanel = lazyPart(
  () => import('./pay-panel.tsx'),
  (part) => part.PayPanel,
);
const OrderPanel = lazyPart(
  () => import('./order-panel.tsx'),
  (part) => part.OrderPanel,
);

interface WalletScreenProps {
  search: WalletSearch;
  onSearch: (change: Partial<WalletSearch>) => void;
  /** A text that another app has shared; '': none. */
  shared: string;
  onSharedTaken: () => void;
  /** What bounds the spending besides the balance. */
  limits: ReactNode;
}

export function WalletScreen({ search, onSearch, shared, onSharedTaken, limits }: WalletScreenProps) {
  const { t } = useTranslation();
  const info = useQuery(walletQuery);
  const [paying, setPaying] = useState<ChosenAmount>();
  const order = search.order ?? search.out_trade_no;
  const openOrder = (tradeNo: string | undefined): void => {
    setPaying(undefined);
    onSearch({ order: tradeNo, out_trade_no: undefined });
  };
  return (
    <Screen
      title={t('wallet.title')}
      layout="page"
      panel={
        paying !== undefined && info.data !== undefined ? (
          <PayPanel chosen={paying} info={info.data} onClose={() => setPaying(undefined)} onOrdered={openOrder} />
        ) : (
          order !== undefined && <OrderPanel key={order} tradeNo={order} onClose={() => openOrder(undefined)} />
        )
      }
    >
      <div className={styles.blocks}>
        <div className={styles.column}>
          <BalanceBlock />
          {limits}
          {(info.data?.pending ?? []).map((pending) => (
            <PendingOrder key={pending.trade_no} order={pending} onOpen={() => openOrder(pending.trade_no)} />
          ))}
          <TopUpBlock query={info} hasFilled={paying === undefined && order === undefined} onPay={setPaying} />
          <RedeemBlock shared={shared} onSharedTaken={onSharedTaken} />
        </div>
        <HistoryBlock page={search.p ?? 1} kind={search.kind} onSearch={onSearch} />
      </div>
    </Screen>
  );
}
