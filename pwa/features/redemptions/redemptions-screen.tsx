import { useTranslation } from 'react-i18next';
import { type Redemption, type RedemptionAction, RedemptionStatus } from '#shared/redemptions.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import { useColumns } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { useSelection, useTickedRows } from '#pwa/ui/list/selection.ts';
import { useSelectAll } from '#pwa/api/use-select-all.ts';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import { BulkActions } from './bulk-actions.tsx';
import { useChangeCodes } from './code-actions.ts';
import { columnsKey, useRedemptionColumns } from './redemption-columns.tsx';
import { RedemptionFilters } from './redemption-filters.tsx';
import type { RedemptionSearch } from './redemption-search.ts';
import { useRedemptionList } from './use-redemption-list.ts';

// What a list does not need is loaded when it is opened.
const NewCodesPanel = lazyPart(
  () => import('./new-codes-panel.tsx'),
  (part) => part.NewCodesPanel,
  <PanelSpace />,
);
const CodePanel = lazyPart(
  () => import('./code-panel.tsx'),
  (part) => part.CodePanel,
  <PanelSpace />,
);

interface RedemptionsScreenProps {
  search: RedemptionSearch;
  onSearch: (change: Partial<RedemptionSearch>) => void;
}

const newCodes = 'new';

export function RedemptionsScreen({ search, onSearch }: RedemptionsScreenProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const screen = useListScreen({ search, onSearch });
  const { listed, isEmpty, onFilter, readPage } = useRedemptionList({ search, onSearch, screen });
  const columns = useRedemptionColumns((code) => void changeAll([code], 'delete'));
  const chosen = useColumns(columns, columnsKey);
  const selection = useSelection<number>();
  const { ticked, see } = useTickedRows(selection, listed.rows, codeId);
  const allRows = useSelectAll({ total: listed.pager?.total, rowKey: codeId, readPage, selection, onRead: see });
  const change = useChangeCodes();
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: listed.rows, rowKey: (row) => row.id });
  const handleClose = (): void => onSearch({ open: undefined });
  const createButton = (variant: 'filled' | 'default') => <CreateButton variant={variant} onCreate={() => onSearch({ open: newCodes })} />;

  /** Without confirmation: it can be reverted. Failures have been shown as toasts. */
  async function changeAll(codes: readonly Redemption[], action: RedemptionAction): Promise<void> {
    // Others are not disabled by it, nor enabled when it is taken back.
    const changed = action === 'disable' ? codes.filter(({ status }) => status === RedemptionStatus.unused) : codes;
    const ids = changed.map(({ id }) => id);
    if (ids.length === 0) return;
    const count = await change.mutateAsync({ ids, action }).catch(() => undefined);
    if (count === undefined) return;
    if (action === 'enable') toastSuccess(t('redemptions.changed.enable', { count }));
    if (action !== 'delete') return;
    selection.set(ids, false);
    if (ids.some((id) => String(id) === search.open)) handleClose();
  }

  return (
    <Screen
      title={t('redemptions.title')}
      // One button is filled: the one in the empty list, or that of the open form, when there is one.
      actions={createButton(isEmpty || search.open !== undefined ? 'default' : 'filled')}
      filters={<RedemptionFilters search={search} listed={listed} columns={chosen} onFilter={onFilter} />}
      panelFollows
      panel={
        search.open === newCodes ? (
          <NewCodesPanel onClose={handleClose} />
        ) : (
          opened !== undefined && (
            <CodePanel key={opened.id} code={opened} onClose={handleClose} {...ways} onRemove={() => void changeAll([opened], 'delete')} />
          )
        )
      }
    >
      <DataList
        {...listed}
        label={t('redemptions.title')}
        columns={isPhone ? columns : chosen.shown}
        room={chosen.room}
        rowKey={(row) => row.id}
        rowName={(row) => `${row.name} #${row.id}`}
        open={search.open}
        onOpen={screen.onOpen}
        selection={selection}
        allRows={allRows}
        bulkActions={
          <BulkActions
            ticked={ticked}
            isBusy={change.isPending}
            onChange={(action) => void changeAll(ticked, action)}
            onRemove={() => void changeAll(ticked, 'delete')}
          />
        }
        isTwoLine
        isMuted={(row) => row.status !== RedemptionStatus.unused}
        empty={{
          title: t('redemptions.empty.title'),
          text: t('redemptions.empty.text'),
          action: createButton(search.open === undefined ? 'filled' : 'default'),
        }}
      />
    </Screen>
  );
}

const codeId = ({ id }: Redemption): number => id;

function CreateButton({ variant, onCreate }: { variant: 'filled' | 'default'; onCreate: () => void }) {
  const { t } = useTranslation();
  return <OnlineButton variant={variant} icon={<Icon name="plus" />} onClick={onCreate} label={t('redemptions.action.create')} />;
}
