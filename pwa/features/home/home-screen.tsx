import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { SummaryItem } from '#pwa/ui/frame/page-header.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { Following, Together } from '#pwa/ui/frame/together.tsx';
import { Address } from './address-block.tsx';
import { Balance } from './balance-block.tsx';
import styles from './home-screen.module.css';
import { MonthBlock } from './month-block.tsx';
import { OperatorHome } from './operator-home.tsx';
import { OwnTokens } from './own-tokens.tsx';
import { RecentCalls } from './recent-calls.tsx';
import { TodayBlock } from './today-block.tsx';

/** For a person: balance, today, keys, last calls. For an operator first what needs a hand. */
export function HomeScreen() {
  const { t } = useTranslation();
  const isOperator = (useStoredUser()?.role ?? 0) >= Role.admin;
  return (
    <Screen title={t('home.title')} layout="page" facts={useIsPhone() ? undefined : <WhatDay />}>
      {isOperator ? (
        <OperatorHome />
      ) : (
        <Together what={t('home.title')}>
          <div className={styles.home}>
            <div className={styles.column}>
              <Balance />
              <TodayBlock />
              <RecentCalls isWide />
            </div>
            <div className={styles.column}>
              <Following>
                <OwnTokens />
                <MonthBlock />
                <Address />
              </Following>
            </div>
          </div>
        </Together>
      )}
    </Screen>
  );
}

/** Which day "today" is, and where. */
function WhatDay() {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <>
      <SummaryItem label={t('home.today.title')}>{format.day(Date.now() / 1000)}</SummaryItem>
      <SummaryItem label={t('home.time_zone')}>{format.timeZone}</SummaryItem>
    </>
  );
}
