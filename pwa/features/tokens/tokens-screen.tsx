import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import type { Token } from '#shared/tokens.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { ColumnPicker, useColumns } from '#pwa/ui/list/columns.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { FilterBar, FilterText } from '#pwa/ui/list/filter-bar.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { NoCredit } from '#pwa/ui/billing/no-credit.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { useListScreen } from '#pwa/ui/list/use-list-screen.ts';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { useSelection } from '#pwa/ui/list/selection.ts';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import { foundTokensQuery, tokensQuery } from './queries.ts';
import { useRemoveTokens, useToggleToken } from './token-actions.ts';
import styles from './tokens.module.css';
import { columnsKey, tokenColumns } from './token-columns.tsx';
import { wholeKey } from './token-key.ts';
import type { TokenSearch } from './token-search.ts';

// What a list does not need is loaded when it is opened.
const NewTokenPanel = lazyPart(
  () => import('./new-token-panel.tsx'),
  (part) => part.NewTokenPanel,
);
const TokenPanel = lazyPart(
  () => import('./token-panel.tsx'),
  (part) => part.TokenPanel,
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
  const { page, size } = screen;
  // Not in the address: a part of a key is a secret, and addresses are remembered.
  const [key, setKey] = useState('');
  const keyword = search.keyword ?? '';
  const isSearch = keyword !== '' || key !== '';
  const listed = useQuery({ ...tokensQuery(page, size), enabled: !isSearch });
  const found = useQuery({ ...foundTokensQuery(keyword, key), enabled: isSearch });
  const query = isSearch ? found : listed;
  const rows = query.data?.items;
  const isEmpty = !isSearch && rows?.length === 0;

  const [removing, setRemoving] = useState<readonly Token[]>([]);
  const { unit } = useFormat();
  const toggle = useToggleToken();
  const handleToggle = useStableHandler(async (token: Token) => {
    // A failure has been toasted.
    await toggle.mutateAsync(token).catch(() => undefined);
  });
  const columns = useMemo(
    () => tokenColumns(t, { unit, onToggle: handleToggle, onRemove: (token) => setRemoving([token]) }),
    [t, unit, handleToggle],
  );
  const chosen = useColumns(columns, columnsKey);
  const selection = useSelection<number>();
  const self = useQuery(selfQuery).data;
  const isWithoutCredit = self !== undefined && self.quota <= 0 && self.role < Role.admin;
  const topUpLink = useSiteStatus()?.top_up_link ?? '';
  const ticked = (rows ?? []).filter((row) => selection.keys.has(row.id));
  const remove = useRemoveTokens();

  const { row: opened, ...ways } = screen.walk({ rows, rowKey: (row) => row.id });
  const createLabel = t('tokens.action.create');
  const createButton = (variant: 'filled' | 'default') => (
    <OnlineButton variant={variant} icon={<Icon name="plus" />} onClick={() => onSearch({ open: newToken })} label={createLabel} />
  );

  async function handleRemove(): Promise<void> {
    const ids = removing.map((token) => token.id);
    // The failure is shown by itself; the question is answered either way.
    await remove.mutateAsync(ids).then(
      () => {
        selection.set(ids, false);
        if (ids.some((id) => String(id) === search.open)) onSearch({ open: undefined });
      },
      () => undefined,
    );
    setRemoving([]);
  }

  return (
    <Screen
      title={t('tokens.title')}
      // One button is filled: the one in the empty list, or that of the open form, when there is one.
      actions={createButton(isEmpty || search.open !== undefined ? 'default' : 'filled')}
      filters={
        <FilterBar
          count={(keyword === '' ? 0 : 1) + (key === '' ? 0 : 1)}
          onClear={() => {
            setKey('');
            onSearch({ keyword: undefined, p: undefined });
          }}
          search={{
            label: t('tokens.filter.keyword'),
            value: keyword,
            onChange: (text) => onSearch({ keyword: text === '' ? undefined : text, p: undefined }),
          }}
          tools={isPhone ? undefined : <ColumnPicker chosen={chosen} />}
        >
          <FilterText label={t('tokens.filter.key')} value={key} onChange={setKey} />
        </FilterBar>
      }
      panel={
        search.open === newToken ? (
          <NewTokenPanel onClose={() => onSearch({ open: undefined })} />
        ) : (
          opened !== undefined && (
            <TokenPanel
              key={opened.id}
              token={opened}
              onClose={() => onSearch({ open: undefined })}
              {...ways}
              onRemove={() => setRemoving([opened])}
            />
          )
        )
      }
    >
      {isWithoutCredit && (
        <div className={styles.noCredit}>
          <NoCredit topUpLink={topUpLink} />
        </div>
      )}
      <DataList
        label={t('tokens.title')}
        query={query}
        rows={rows}
        columns={isPhone ? columns : chosen.shown}
        room={chosen.room}
        rowKey={(row) => row.id}
        rowName={(row) => row.name}
        open={search.open}
        onOpen={screen.onOpen}
        selection={selection}
        bulkActions={
          <>
            <BulkCopy tokens={ticked} />
            <OnlineButton
              variant="subtle"
              data-danger
              disabled={ticked.length === 0}
              icon={<Icon name="trash" />}
              onClick={() => setRemoving(ticked)}
              label={t('common.action.delete')}
            />
          </>
        }
        isTwoLine
        isMuted={(row) => row.status !== 1}
        empty={{
          title: t('tokens.empty.title'),
          text: isWithoutCredit ? t('tokens.empty.no_credit') : t('tokens.empty.text'),
          action: createButton(search.open === undefined ? 'filled' : 'default'),
        }}
        filtersSet={(keyword === '' ? 0 : 1) + (key === '' ? 0 : 1)}
        onClearFilters={() => {
          setKey('');
          onSearch({ keyword: undefined });
        }}
        {...(isSearch || query.data === undefined || query.data.total === 0 ? {} : { pager: screen.pager(query.data.total) })}
      />
      <ConfirmDialog
        opened={removing.length > 0}
        title={t('tokens.remove.title', { count: removing.length, name: removing[0]?.name ?? '' })}
        text={t('tokens.remove.text')}
        confirmLabel={t('tokens.remove.confirm', { count: removing.length })}
        isDanger
        onConfirm={handleRemove}
        onCancel={() => setRemoving([])}
      />
    </Screen>
  );
}

/** Names and keys of the ticked tokens, one per line. */
function BulkCopy({ tokens }: { tokens: readonly Token[] }) {
  const { t } = useTranslation();
  const lines = tokens.flatMap((token) => {
    const key = wholeKey(token);
    return key === undefined ? [] : [`${token.name}    ${key}`];
  });
  if (lines.length === 0) return null;
  return <CopyButton variant="subtle" label={t('tokens.action.copy_keys')} text={lines.join('\n')} />;
}
