import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LogFormat } from '#shared/logs.ts';
import { downloadAccountFile } from '#pwa/api/account-file.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';
import { exportAddress } from './export-address.ts';
import type { LogList } from './queries.ts';

const DeleteLogsDialog = lazyPart(
  () => import('./delete-logs-dialog.tsx'),
  (part) => part.DeleteLogsDialog,
);

/** What can be done with the whole list: a file of it, and for administrators the end of old rows. */
export function LogActions({ list }: { list: LogList }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  const [isDeleting, setDeleting] = useState(false);
  const file = (format: LogFormat) => ({
    key: format,
    label: t(`logs.export.${format}`),
    isDisabled: !isOnline,
    onClick: () => downloadAccountFile(exportAddress(list, format, Date.now())),
  });
  return (
    <>
      <RowMenu
        label={needs(t('logs.export.menu'))}
        width={260}
        content={() => ({
          actions: [
            file('csv'),
            file('jsonl'),
            ...(list.isAdmin
              ? [{ key: 'delete', label: t('logs.delete.action'), isDanger: true, isDisabled: !isOnline, onClick: () => setDeleting(true) }]
              : []),
          ],
        })}
      />
      {isDeleting && <DeleteLogsDialog onClose={() => setDeleting(false)} />}
    </>
  );
}
