import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Redemption, type RedemptionAction, RedemptionStatus } from '#shared/redemptions.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import { ColumnPicker, useColumns } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { FilterBar, FilterSelect } from '#pwa/ui/list/filter-bar.tsx';
import { useSelection } from '#pwa/ui/list/selection.ts';
import { useListScreen } from '#pwa/ui/list/use-list-screen.ts';
import { useChangeCodes, useRemoveUsedCodes, useToggleCode } from './code-actions.ts';
import { codeLines } from './code-key.ts';
import { codesQuery } from './queries.ts';
import { columnsKey, redemptionColumns } from './redemption-columns.tsx';
import type { RedemptionSearch } from './redemption-search.ts';

// What a list does not need is loaded when it is opened.
const NewCodesPanel = lazyPart(
  () => import('./new-codes-panel.tsx'),
  (part) => part.NewCodesPanel,
);
const CodePanel = lazyPart(
  () => import('./code-panel.tsx'),
  (part) => part.CodePanel,
);

interface RedemptionsScreenProps {
  search: RedemptionSearch;
  onSearch: (change: Partial<RedemptionSearch>) => void;
}

const newCodes = 'new';

export function RedemptionsScreen({ search, onSearch }: RedemptionsScreenProps) {
  const { t } = useTranslation();
  const { unit } = useFormat();
  const isPhone = useIsPhone();
  const screen = useListScreen({ search, onSearch });
  const filter = { keyword: search.keyword ?? '', status: search.status };
  const query = useQuery(codesQuery({ p: screen.page, size: screen.size, ...filter }));
  const rows = query.data?.items;
  const filtersSet = (filter.keyword === '' ? 0 : 1) + (filter.status === undefined ? 0 : 1);
  const isEmpty = filtersSet === 0 && rows?.length === 0;
  const clearFilters = (): void => onSearch({ keyword: undefined, status: undefined, p: undefined });

  const [removing, setRemoving] = useState<readonly Redemption[]>([]);
  const toggle = useToggleCode();
  const handleToggle = useStableHandler(async (code: Redemption) => {
    // A failure has been toasted.
    await toggle.mutateAsync(code).catch(() => undefined);
  });
  const columns = useMemo(
    () => redemptionColumns(t, { unit, onToggle: handleToggle, onRemove: (code) => setRemoving([code]) }),
    [t, unit, handleToggle],
  );
  const chosen = useColumns(columns, columnsKey);
  const selection = useSelection<number>();
  const ticked = (rows ?? []).filter((row) => selection.keys.has(row.id));
  const change = useChangeCodes();
  const { row: opened, ...ways } = screen.walk({ rows, rowKey: (row) => row.id });

  /** Failures have been toasted. */
  async function changeAll(codes: readonly Redemption[], action: RedemptionAction): Promise<void> {
    const ids = codes.map(({ id }) => id);
    const count = await change.mutateAsync({ ids, action }).catch(() => undefined);
    if (count === undefined) return;
    if (action !== 'delete') return toastSuccess(t(`redemptions.changed.${action}`, { count }));
    selection.set(ids, false);
    if (ids.some((id) => String(id) === search.open)) onSearch({ open: undefined });
  }
  const createButton = (variant: 'filled' | 'default') => (
    <OnlineButton
      variant={variant}
      icon={<Icon name="plus" />}
      onClick={() => onSearch({ open: newCodes })}
      label={t('redemptions.action.create')}
    />
  );
  return (
    <Screen
      title={t('redemptions.title')}
      // One button is filled: the one in the empty list, or that of the open form, when there is one.
      actions={createButton(isEmpty || search.open !== undefined ? 'default' : 'filled')}
      filters={
        <FilterBar
          count={filtersSet}
          onClear={clearFilters}
          search={{
            label: t('redemptions.filter.keyword'),
            value: filter.keyword,
            onChange: (keyword) => onSearch({ keyword: keyword || undefined, p: undefined }),
          }}
          tools={
            <>
              {filter.status === RedemptionStatus.used && rows !== undefined && rows.length > 0 && <RemoveUsed />}
              {!isPhone && <ColumnPicker chosen={chosen} />}
            </>
          }
        >
          <FilterSelect
            label={t('redemptions.column.status')}
            value={filter.status === undefined ? '' : String(filter.status)}
            options={Object.entries(RedemptionStatus).map(([name, status]) => ({
              value: String(status),
              label: t(`redemptions.status.${name}`),
            }))}
            onChange={(status) => onSearch({ status: status === '' ? undefined : Number(status), p: undefined })}
          />
        </FilterBar>
      }
      panel={
        search.open === newCodes ? (
          <NewCodesPanel onClose={() => onSearch({ open: undefined })} />
        ) : (
          opened !== undefined && (
            <CodePanel
              key={opened.id}
              code={opened}
              onClose={() => onSearch({ open: undefined })}
              {...ways}
              onRemove={() => setRemoving([opened])}
            />
          )
        )
      }
    >
      <DataList
        label={t('redemptions.title')}
        query={query}
        rows={rows}
        columns={isPhone ? columns : chosen.shown}
        room={chosen.room}
        rowKey={(row) => row.id}
        rowName={(row) => `${row.name} #${row.id}`}
        open={search.open}
        onOpen={screen.onOpen}
        selection={selection}
        bulkActions={
          <BulkActions
            ticked={ticked}
            isBusy={change.isPending}
            onChange={(action) => void changeAll(ticked, action)}
            onRemove={() => setRemoving(ticked)}
          />
        }
        isTwoLine
        isMuted={(row) => row.status !== RedemptionStatus.unused}
        empty={{
          title: t('redemptions.empty.title'),
          text: t('redemptions.empty.text'),
          action: createButton(search.open === undefined ? 'filled' : 'default'),
        }}
        filtersSet={filtersSet}
        onClearFilters={clearFilters}
        {...(rows?.length === 0 && screen.page === 1
          ? {}
          : { pager: screen.pager(query.data?.total ?? 0, query.data?.total_is_lower_bound) })}
      />
      <ConfirmDialog
        opened={removing.length > 0}
        title={t('redemptions.remove.title', { count: removing.length, name: removing[0]?.name ?? '' })}
        text={t('redemptions.remove.text')}
        confirmLabel={t('redemptions.remove.confirm', { count: removing.length })}
        isDanger
        onConfirm={async () => {
          await changeAll(removing, 'delete');
          setRemoving([]);
        }}
        onCancel={() => setRemoving([])}
      />
    </Screen>
  );
}

interface BulkActionsProps {
  ticked: readonly Redemption[];
  isBusy: boolean;
  onChange: (action: RedemptionAction) => void;
  onRemove: () => void;
}

function BulkActions({ ticked, isBusy, onChange, onRemove }: BulkActionsProps) {
  const { t } = useTranslation();
  const lines = codeLines(ticked);
  const disabled = ticked.length === 0 || isBusy;
  return (
    <>
      {lines !== '' && <CopyButton variant="subtle" label={t('redemptions.action.copy_codes')} text={lines} />}
      <OnlineButton variant="subtle" disabled={disabled} onClick={() => onChange('enable')} label={t('redemptions.action.enable')} />
      <OnlineButton variant="subtle" disabled={disabled} onClick={() => onChange('disable')} label={t('redemptions.action.disable')} />
      <OnlineButton
        variant="subtle"
        data-danger
        disabled={disabled}
        icon={<Icon name="trash" />}
        onClick={onRemove}
        label={t('common.action.delete')}
      />
    </>
  );
}

/** All that have been redeemed, not only those of this page. */
function RemoveUsed() {
  const { t } = useTranslation();
  const [isAsked, setAsked] = useState(false);
  const remove = useRemoveUsedCodes();
  return (
    <>
      <OnlineButton data-danger icon={<Icon name="trash" />} onClick={() => setAsked(true)} label={t('redemptions.action.delete_used')} />
      <ConfirmDialog
        opened={isAsked}
        title={t('redemptions.remove_used.title')}
        text={t('redemptions.remove_used.text')}
        confirmLabel={t('redemptions.action.delete_used')}
        isDanger
        onConfirm={async () => {
          const count = await remove.mutateAsync().catch(() => undefined);
          if (count !== undefined) toastSuccess(t('redemptions.changed.delete', { count }));
          setAsked(false);
        }}
        onCancel={() => setAsked(false)}
      />
    </>
  );
}
