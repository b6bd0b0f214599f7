import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { markSignOut } from '#pwa/api/due-sign-out.ts';
import { forgetUser, storedUser } from '#pwa/api/stored-user.ts';
import { forgetDevice } from '#pwa/offline/forget-device.ts';
import { outboxEntries } from '#pwa/offline/outbox-store.ts';
import { sendSignOut } from '#pwa/offline/send-sign-out.ts';
import { toastNote } from '#pwa/ui/frame/toast.ts';

const ConfirmDialog = lazy(async () => ({ default: (await import('#pwa/ui/frame/confirm-dialog.tsx')).ConfirmDialog }));

interface SignOut {
  /** Signs out, after a question when edits would be lost. */
  ask: () => void;
  isAsking: boolean;
  unsent: number;
  confirm: () => Promise<void>;
  cancel: () => void;
}

export function useSignOut(): SignOut {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);

  async function confirm(): Promise<void> {
    setAsking(false);
    const userId = storedUser()?.id ?? 0;
    // Signs out on this device first, in every tab, without waiting for a network. The server is notified at once or later.
    markSignOut(userId);
    forgetUser();
    await forgetDevice(userId);
    if (!(await sendSignOut())) toastNote(t('session.logout.told_later'));
  }

  function ask(): void {
    if (outboxEntries().length === 0) void confirm();
    else setAsking(true);
  }
  return { ask, isAsking, unsent: outboxEntries().length, confirm, cancel: () => setAsking(false) };
}

export function SignOutDialog({ signOut }: { signOut: SignOut }) {
  const { t } = useTranslation();
  if (!signOut.isAsking) return null;
  return (
    <Suspense fallback={null}>
      <ConfirmDialog
        opened
        title={t('session.logout.unsent_title')}
        text={t('session.logout.unsent_text', { count: signOut.unsent })}
        confirmLabel={t('session.logout.unsent_confirm')}
        isDanger
        onConfirm={signOut.confirm}
        onCancel={signOut.cancel}
      />
    </Suspense>
  );
}
