import { FileButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ImportDetails } from '#shared/imports.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Progress } from '#pwa/ui/controls/progress.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './imports.module.css';
import { usePlanImport } from './queries.ts';
import { sizeText } from '#pwa/ui/size-text.ts';
import { sendFile, useUpload } from './uploads.ts';

/** The file on its way; or, after a page was closed, the button that continues with the same file. */
export function UploadProgress({ run, partBytes }: { run: ImportDetails; partBytes: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const upload = useUpload(run.id);
  const plan = usePlanImport();
  const [isOther, setOther] = useState(false);
  const sent = upload?.sent ?? run.received;
  if (run.source_kind !== 'file' || sent >= run.bytes) return null;
  const isRunning = upload !== undefined && upload.failure === undefined;
  const handleFile = async (file: File | null): Promise<void> => {
    if (file === null) return;
    const isSame = file.size === run.bytes && file.name === run.source;
    setOther(!isSame);
    if (!isSame || !(await sendFile({ id: run.id, file, sent: run.received, partBytes }))) return;
    plan.mutate({ id: run.id, options: run.options }, { onError: (failure) => toastFailure(failureOf(failure)) });
  };
  return (
    <div className={`${layout.stackMd} ${styles.progress}`}>
      <Progress
        name={t('imports.upload.name')}
        text={t('imports.upload.sent', { sent: sizeText(sent, format), all: sizeText(run.bytes, format) })}
        done={sent}
        all={run.bytes}
      />
      {isRunning ? (
        <p>{t('imports.upload.stay')}</p>
      ) : (
        <>
          <Refusal text={isOther ? t('imports.upload.other') : upload?.failure} />
          {upload?.isRefused !== true && (
            <>
              <p>{t('imports.upload.continue_hint', { name: run.source })}</p>
              <span className={layout.wrap}>
                <FileButton onChange={(file) => void handleFile(file)}>
                  {({ onClick }) => <OnlineButton label={t('imports.upload.continue')} onClick={onClick} />}
                </FileButton>
              </span>
            </>
          )}
        </>
      )}
    </div>
  );
}
