import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { logApi } from '#shared/logs.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';

const retainedDays = 30;

/** Which rows go, what stays, and that it cannot be undone. */
export function DeleteLogsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const [day, setDay] = useState(() => dayText(new Date(Date.now() - retainedDays * 86_400_000)));
  const before = Math.floor(new Date(`${day}T00:00:00`).getTime() / 1000);
  const isDay = Number.isFinite(before);

  async function handleConfirm(): Promise<void> {
    if (!isDay) return;
    try {
      // Longer deletions continue in the background.
      const count = await call(logApi.remove, { query: { target_timestamp: before }, timeout: 60_000 });
      toastSuccess(t('logs.delete.done', { count }));
      await client.invalidateQueries({ queryKey: ['logs'] });
      await client.invalidateQueries({ queryKey: ['log-sums'] });
      onClose();
    } catch (error) {
      toastFailure(failureOf(error));
    }
  }

  return (
    <ConfirmDialog
      opened
      isDanger
      title={t('logs.delete.title')}
      text={
        <div className={layout.stackMd}>
          <TextInput
            type="date"
            label={t('logs.delete.before')}
            value={day}
            max={dayText(new Date())}
            error={isDay ? undefined : t('logs.delete.no_day')}
            onChange={(event) => setDay(event.currentTarget.value)}
          />
          <p>{t('logs.delete.text', { time: isDay ? format.date(before) : '—' })}</p>
        </div>
      }
      confirmLabel={t('logs.delete.confirm')}
      onConfirm={handleConfirm}
      onCancel={onClose}
    />
  );
}

/** `2026-11-21`, of local time. */
function dayText(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
