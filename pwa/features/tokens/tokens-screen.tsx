import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import type { Token } from '#shared/tokens.ts';
import type { User } from '#shared/user.ts';
import { accountQuery } from '#pwa/api/account.ts';
import { useActing } from '#pwa/api/acting.ts';
import { canTopUp } from '#pwa/api/can-top-up.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { type ChosenColumns, ColumnPicker, useColumns } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { FilterBar, FilterText } from '#pwa/ui/list/filter-bar.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { NoCredit } from '#pwa/ui/billing/no-credit.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import type { OpenRecordWays } from '#pwa/records/record-panel.tsx';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import { type Selection, useSelection, useTickedRows } from '#pwa/ui/list/selection.ts';
import { useSelectAll } from '#pwa/api/use-select-all.ts';
import { BulkActions } from './bulk-actions.tsx';
import styles from './tokens.module.css';
import { columnsKey, useTokenColumns } from './token-columns.tsx';
import { useRemoveTokens } from './token-actions.ts';
import type { TokenSearch } from './token-search.ts';
import { tokensQuery } from './queries.ts';
import { useTokenList } from './use-token-list.ts';

// What a list does not need is loaded when it is opened.
const NewTokenPanel = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./new-token-panel.tsx'), loadTexts('limits')]);
    return part;
  },
  (part) => part.NewTokenPanel,
  <PanelSpace />,
);
const TokenPanel = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./token-panel.tsx'), loadTexts('limits')]);
    return part;
  },
  (part) => part.TokenPanel,
  <PanelSpace />,
);

const ManyPanel = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./many-panel.tsx'), loadTexts('token_edits', 'limits')]);
    return part;
  },
  (part) => part.ManyPanel,
  <PanelSpace />,
);

interface TokensScreenProps {
  search: TokenSearch;
  onSearch: (change: Partial<TokenSearch>) => void;
}

const newToken = 'new';

export function TokensScreen({ search, onSearch }: TokensScreenProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const screen = useListScreen({ search, onSearch });
  const list = useTokenList({ search, onSearch, screen });
  const { listed, isEmpty } = list;
  const remove = useRemoveTokens();
  const hasBudgets = listed.rows?.some((token) => token.tightest_budget !== undefined) === true;
  const columns = useTokenColumns(hasBudgets, (token) => handleRemove([token]));
  const chosen = useColumns(columns, columnsKey);
  const selection = useSelection<number>();
  const { ticked, allRows } = useTickedTokens(listed, selection);
  const many = useManyEdited(selection);
  const withoutCredit = useWithoutCredit();
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: listed.rows, rowKey: (row) => row.id });
  const handleClose = (): void => onSearch({ open: undefined });
  const createButton = (variant: 'filled' | 'default') => <CreateButton variant={variant} onCreate={() => onSearch({ open: newToken })} />;

  /** Without confirmation: it can be reverted. A failure has been shown as a toast. */
  function handleRemove(tokens: readonly Token[]): void {
    const ids = tokens.map(({ id }) => id);
    remove.mutate(tokens, {
      onSuccess: () => {
        selection.set(ids, false);
        if (ids.some((id) => String(id) === search.open)) handleClose();
      },
    });
  }

  return (
    <Screen
      title={t('tokens.title')}
      // One button is filled: the one in the empty list, or that of the open form, when there is one.
      actions={<WithApps>{createButton(isEmpty || search.open !== undefined || many.ids !== undefined ? 'default' : 'filled')}</WithApps>}
      filters={<TokenFilters search={search} onSearch={onSearch} list={list} columns={chosen} />}
      panelFollows
      panel={
        (many.ids !== undefined || opened !== undefined || search.open === newToken) && (
          <OpenPanel
            many={many}
            isNew={search.open === newToken}
            token={opened}
            ways={{ ...ways, onClose: handleClose }}
            onRemove={(token) => handleRemove([token])}
          />
        )
      }
    >
      {withoutCredit !== undefined && <CreditNote user={withoutCredit} />}
      <DataList
        {...listed}
        label={t('tokens.title')}
        columns={isPhone ? columns : chosen.shown}
        room={chosen.room}
        rowKey={(row) => row.id}
        rowName={(row) => row.name}
        open={search.open}
        onOpen={(key) => {
          many.end(false);
          screen.onOpen(key);
        }}
        selection={selection}
        allRows={allRows}
        bulkActions={
          <BulkActions tokens={ticked} isBusy={remove.isPending} onEdit={() => many.edit(ticked)} onRemove={() => handleRemove(ticked)} />
        }
        isTwoLine
        isMuted={(row) => row.status !== 1}
        empty={{
          title: t('tokens.empty.title'),
          text: withoutCredit !== undefined ? t('tokens.empty.no_credit') : t('tokens.empty.text'),
          action: createButton(search.open === undefined ? 'filled' : 'default'),
        }}
      />
    </Screen>
  );
}

/** The tokens that were ticked when the panel that changes them together was opened. */
function useManyEdited({ clear }: Selection<number>) {
  const [ids, setIds] = useState<readonly number[]>();
  return {
    ids,
    edit: (tokens: readonly Token[]) => setIds(tokens.map(tokenId)),
    end(isDone: boolean): void {
      if (isDone) clear();
      setIds(undefined);
    },
  };
}

interface TokenFiltersProps extends TokensScreenProps {
  list: ReturnType<typeof useTokenList>;
  columns: ChosenColumns<Token>;
}

function TokenFilters({ search, onSearch, list: { listed, partOfKey, setPartOfKey }, columns }: TokenFiltersProps) {
  const { t } = useTranslation();
  return (
    <FilterBar
      count={listed.filtersSet}
      onClear={listed.onClearFilters}
      search={{
        label: t('tokens.filter.keyword'),
        value: search.keyword ?? '',
        onChange: (text) => onSearch({ keyword: text === '' ? undefined : text, p: undefined }),
      }}
      tools={<ColumnPicker chosen={columns} />}
    >
      <FilterText label={t('tokens.filter.key')} value={partOfKey} onChange={setPartOfKey} />
    </FilterBar>
  );
}

interface OpenPanelProps {
  many: ReturnType<typeof useManyEdited>;
  isNew: boolean;
  token: Token | undefined;
  ways: Pick<OpenRecordWays, 'onClose' | 'onPrevious' | 'onNext'>;
  onRemove: (token: Token) => void;
}

/** Panel next to the list. */
function OpenPanel({ many: { ids, end }, isNew, token, ways, onRemove }: OpenPanelProps) {
  if (ids !== undefined) return <ManyPanel key={ids.join(',')} ids={ids} onClose={() => end(false)} onDone={() => end(true)} />;
  if (isNew) return <NewTokenPanel onClose={ways.onClose} />;
  return token !== undefined && <TokenPanel key={token.id} token={token} {...ways} onRemove={() => onRemove(token)} />;
}

const tokenId = ({ id }: Token): number => id;

/** What is ticked, on other pages too, and the way to tick all. */
function useTickedTokens({ rows, pager }: ReturnType<typeof useTokenList>['listed'], selection: Selection<number>) {
  const client = useQueryClient();
  const { ticked, see } = useTickedRows(selection, rows, tokenId);
  const readPage = async (page: number, size: number) => (await client.fetchQuery(tokensQuery(page, size))).items;
  const allRows = useSelectAll({ total: pager?.total, rowKey: tokenId, readPage, selection, onRead: see });
  return { ticked, allRows };
}

/** Buttons, next to the one that leads to the applications that have tokens. */
function WithApps({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  // They hold keys of persons.
  if (useActing() !== null) return children;
  return (
    <>
      <Button renderRoot={(attributes) => <Link {...attributes} to="/apps" />}>{t('tokens.action.apps')}</Button>
      {children}
    </>
  );
}

function CreateButton({ variant, onCreate }: { variant: 'filled' | 'default'; onCreate: () => void }) {
  const { t } = useTranslation();
  const label = t('tokens.action.create');
  return <OnlineButton variant={variant} icon={<Icon name="plus" />} onClick={onCreate} label={label} />;
}

/** Tokens of an account without credit are refused, whatever their quota; administrators get no notice. */
function useWithoutCredit(): User | undefined {
  const self = useQuery(accountQuery()).data;
  return self !== undefined && self.quota <= 0 && self.role < Role.admin ? self : undefined;
}

function CreditNote({ user }: { user: User }) {
  const status = useSiteStatus();
  return (
    <div className={styles.noCredit}>
      <NoCredit user={user} canTopUp={canTopUp(status)} />
    </div>
  );
}
