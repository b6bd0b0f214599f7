import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { BillAccount } from '#shared/bill-accounts.ts';
import { Role } from '#shared/roles.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import { FetchMark } from './fetch-mark.tsx';
import { type BillsViewProps, ViewPicker } from './view-picker.tsx';
import { HowToExport } from './how-to-export.tsx';

const AccountPanel = lazyPart(
  () => import('./account-panel.tsx'),
  (part) => part.AccountPanel,
  <PanelSpace />,
);

const newAccount = 'new';

/** Accounts at providers. Without one: where each provider's export is. */
export function AccountsView({ search, onSearch, query }: BillsViewProps) {
  const { t } = useTranslation();
  const isRoot = (useStoredUser()?.role ?? 0) >= Role.root;
  const screen = useListScreen({ search, onSearch });
  const accounts = query.data?.accounts;
  const columns = useAccountColumns();
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: accounts, rowKey: ({ id }) => id });
  // The first account ends the guide, and stays in sight.
  const handleClose = (): void => onSearch({ view: 'accounts', open: undefined });
  const isEmpty = accounts?.length === 0;
  const add = (variant: 'filled' | 'default') =>
    isRoot && <OnlineButton variant={variant} onClick={() => onSearch({ open: newAccount })} label={t('bills.action.add_account')} />;
  const isNew = search.open === newAccount && isRoot;
  return (
    <Screen
      title={t('bills.title')}
      layout={isEmpty === true ? 'page' : 'list'}
      actions={add(search.open === undefined ? 'filled' : 'default')}
      filters={isEmpty !== true && <ViewPicker search={{ ...search, view: 'accounts' }} onSearch={onSearch} />}
      panelFollows
      panel={
        (isNew || opened !== undefined) && (
          <AccountPanel
            key={isNew ? newAccount : opened?.id}
            account={isNew ? undefined : opened}
            mappings={query.data?.mappings ?? []}
            isRoot={isRoot}
            onClose={handleClose}
            onImport={(id) => onSearch({ view: 'imports', account: id, open: newAccount })}
            {...(isNew ? { onPrevious: undefined, onNext: undefined } : ways)}
          />
        )
      }
    >
      {isEmpty === true ? (
        <HowToExport note={t(isRoot ? 'bills.empty.accounts_text' : 'bills.empty.accounts_admin')} />
      ) : (
        <DataList
          query={query}
          rows={accounts}
          label={t('bills.view.accounts')}
          columns={columns}
          rowKey={({ id }) => id}
          rowName={({ name }) => name}
          open={search.open}
          onOpen={screen.onOpen}
          empty={{ title: t('bills.empty.accounts'), text: t('bills.empty.accounts_text') }}
        />
      )}
    </Screen>
  );
}

function useAccountColumns(): Column<BillAccount>[] {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(
    () => [
      { key: 'name', heading: t('bills.column.account'), cell: (row) => row.name, least: 130, card: 'title', isLocked: true },
      {
        key: 'provider',
        heading: t('bills.column.provider'),
        cell: (row) => t(`bills.provider.${row.provider}`),
        width: 130,
      },
      {
        key: 'channels',
        heading: t('bills.column.channels'),
        cell: ({ channels }) => channels.map(({ id, name }) => name || `#${id}`).join(', '),
        least: 150,
        leave: 2,
        card: 'note',
      },
      { key: 'fetch', heading: t('bills.column.fetch'), cell: (row) => <FetchMark account={row} />, least: 190, leave: 3, card: 'context' },
      {
        key: 'last',
        heading: t('bills.column.last_day'),
        cell: ({ last_day: day }) => (day === undefined ? '—' : format.calendarDay(day)),
        width: 120,
        leave: 1,
        card: 'amount',
      },
    ],
    [t, format],
  );
}
