import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionApi } from '#shared/session.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { forgetUser, storedUser } from '#pwa/api/stored-user.ts';
import { outboxEntries } from '#pwa/offline/outbox-store.ts';
import { forgetAnswers } from '#pwa/offline/query-persister.ts';
import { toastFailure } from '#pwa/ui/toast.ts';

const ConfirmDialog = lazy(async () => ({ default: (await import('#pwa/ui/confirm-dialog.tsx')).ConfirmDialog }));

interface SignOut {
  /** Signs out, after a question when edits would be lost. */
  ask: () => void;
  isAsking: boolean;
  unsent: number;
  confirm: () => Promise<void>;
  cancel: () => void;
}

export function useSignOut(): SignOut {
  const queryClient = useQueryClient();
  const router = useRouter();
  const [isAsking, setAsking] = useState(false);

  async function confirm(): Promise<void> {
    setAsking(false);
    const userId = storedUser()?.id ?? 0;
    try {
      await call(sessionApi.logout);
    } catch (thrown) {
      // The session lives on at the server until it ends there by itself; what is on this device goes now.
      toastFailure(failureOf(thrown));
    }
    forgetUser();
    const { discardAll } = await import('#pwa/offline/outbox.ts');
    await Promise.all([forgetAnswers(queryClient, userId), discardAll(userId).catch(() => undefined)]);
    await router.navigate({ to: '/login' });
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
