import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { BillImport } from '#shared/provider-bills.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import { daysText } from './days-text.ts';
import { dollars } from './dollars.ts';
import { ImportMark } from './import-mark.tsx';
import { type BillsViewProps, ViewPicker } from './view-picker.tsx';

const ImportPanel = lazyPart(
  () => import('./import-panel.tsx'),
  (part) => part.ImportPanel,
  <PanelSpace />,
);
const UploadPanel = lazyPart(
  () => import('./upload-panel.tsx'),
  (part) => part.UploadPanel,
  <PanelSpace />,
);

const newFile = 'new';

/** The last imports, and a new one. */
export function ImportsView({ search, onSearch, query }: BillsViewProps) {
  const { t } = useTranslation();
  const screen = useListScreen({ search, onSearch });
  const imports = query.data?.imports;
  const columns = useImportColumns();
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: imports, rowKey: ({ id }) => id });
  const handleClose = (): void => onSearch({ open: undefined });
  const upload = (variant: 'filled' | 'default') => (
    <OnlineButton variant={variant} onClick={() => onSearch({ open: newFile })} label={t('bills.action.upload')} />
  );
  const panel =
    search.open === newFile && query.data !== undefined ? (
      <UploadPanel overview={query.data} account={search.account} onClose={handleClose} onDone={(id) => onSearch({ open: String(id) })} />
    ) : (
      opened !== undefined && <ImportPanel key={opened.id} bill={opened} onClose={handleClose} {...ways} />
    );
  return (
    <Screen
      title={t('bills.title')}
      actions={upload(imports?.length === 0 || search.open !== undefined ? 'default' : 'filled')}
      filters={<ViewPicker search={search} onSearch={onSearch} />}
      panelFollows
      panel={panel}
    >
      <DataList
        query={query}
        rows={imports}
        label={t('bills.view.imports')}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={(row) => row.file_name || row.account_name}
        open={search.open}
        onOpen={screen.onOpen}
        isMuted={({ state }) => state === 'failed'}
        empty={{
          title: t('bills.empty.imports'),
          text: t('bills.empty.imports_text'),
          action: upload(search.open === undefined ? 'filled' : 'default'),
        }}
      />
    </Screen>
  );
}

function useImportColumns(): Column<BillImport>[] {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(
    () => [
      {
        key: 'time',
        heading: t('bills.column.time'),
        cell: (row) => format.dateTime(row.started_at),
        width: 176,
        card: 'note',
        isLocked: true,
      },
      { key: 'account', heading: t('bills.column.account'), cell: (row) => row.account_name, least: 120 },
      { key: 'state', heading: t('bills.column.state'), cell: (row) => <ImportMark bill={row} />, least: 170, card: 'context' },
      {
        key: 'source',
        heading: t('bills.column.source'),
        cell: (row) => (row.source === 'api' ? t('bills.import.api') : row.file_name),
        least: 120,
        leave: 2,
        card: 'title',
      },
      {
        key: 'days',
        heading: t('bills.column.days'),
        cell: (row) => daysText(row, format),
        width: 220,
        leave: 3,
      },
      { key: 'rows', heading: t('bills.column.rows'), cell: (row) => format.count(row.rows), width: 90, align: 'end', leave: 4 },
      {
        key: 'amount',
        heading: t('bills.column.billed'),
        cell: (row) => dollars(row.amount, format),
        width: 110,
        align: 'end',
        card: 'amount',
      },
    ],
    [t, format],
  );
}
