import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asCodeApi, type ManagingFile } from '#shared/as-code.ts';
import { Role } from '#shared/roles.ts';
import { call } from '#pwa/api/call.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { saveText } from '#pwa/ui/controls/save-text.ts';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { managingFilesQuery } from './queries.ts';
import styles from './settings-panels.module.css';

const kinds = ['settings', 'groups', 'prices', 'channels', 'tokens'] as const;

/** Files of settings as code: what each manages, their release, and the export of what stands. */
export function ManagingFiles({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const query = useQuery(managingFilesQuery);
  const isRoot = (useStoredUser()?.role ?? Role.guest) >= Role.root;
  const [released, setReleased] = useState<string>();
  const release = useRelease();
  const download = useMutation({
    mutationFn: () => call(asCodeApi.export, {}),
    onSuccess: ({ text }) => saveText('tidegate.yaml', text, { type: 'application/yaml' }),
  });
  return (
    <SidePanel
      title={t('settings.files.title')}
      onClose={onClose}
      foot={
        <>
          <p className={styles.first}>{t('setting_parts.files.foot')}</p>
          <OnlineButton
            className={styles.export}
            loading={download.isPending}
            onClick={() => download.mutate()}
            label={t('setting_parts.files.export')}
          />
        </>
      }
    >
      <QueryState query={query} what={t('settings.files.title')} lines={4}>
        {(files) =>
          files.length === 0 ? (
            <p className={styles.empty}>{t('setting_parts.files.empty')}</p>
          ) : (
            <ul className={styles.changes}>
              {files.map((file) => (
                <FileLine
                  key={`${file.by} ${file.file}`}
                  file={file}
                  onRelease={isRoot && files.find(({ by }) => by === file.by) === file ? () => setReleased(file.by) : undefined}
                />
              ))}
            </ul>
          )
        }
      </QueryState>
      <ConfirmDialog
        opened={released !== undefined}
        title={t('setting_parts.files.release_title', { name: released })}
        text={t('setting_parts.files.release_text')}
        confirmLabel={t('setting_parts.files.release')}
        // A failure has been toasted.
        onConfirm={() =>
          release.mutateAsync(released ?? '').then(
            () => setReleased(undefined),
            () => undefined,
          )
        }
        onCancel={() => setReleased(undefined)}
      />
    </SidePanel>
  );
}

function FileLine({ file, onRelease }: { file: ManagingFile; onRelease: (() => void) | undefined }) {
  const { t } = useTranslation();
  const counts = kinds.filter((kind) => file[kind] > 0).map((kind) => t(`setting_parts.files.count.${kind}`, { count: file[kind] }));
  return (
    <li className={styles.change}>
      <header className={`${layout.row} ${layout.spread} ${styles.what}`}>
        <h3>{file.file}</h3>
        {onRelease !== undefined && <OnlineButton variant="subtle" onClick={onRelease} label={t('setting_parts.files.release')} />}
      </header>
      <p className={typography.note}>{counts.join(' · ')}</p>
    </li>
  );
}

/** Whatever is shown of managed records is requested again. */
function useRelease() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (by: string) => call(asCodeApi.release, { body: { by } }),
    onSuccess: () => queryClient.invalidateQueries(),
  });
}
