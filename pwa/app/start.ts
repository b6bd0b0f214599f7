// What happens between loading and the first render: texts, kept answers, and who listens to what.
import type { QueryClient } from '@tanstack/react-query';
import { onOutcome } from '#pwa/api/outcomes.ts';
import { forgetUser, onStoredUserChange, storedUser } from '#pwa/api/stored-user.ts';
import { startTexts } from '#pwa/i18n/setup.ts';
import { currentConnection, onConnectionChange, watchConnection } from '#pwa/offline/online-status.tsx';
import { forgetAnswers, persistAnswers, restoreAnswers } from '#pwa/offline/query-persister.ts';
import { registerWorker } from '#pwa/offline/register-worker.ts';
import { createQueryClient } from './query-client.ts';
import { createConsoleRouter, type ConsoleRouter } from './router.ts';

export interface StartedConsole {
  queryClient: QueryClient;
  router: ConsoleRouter;
}

export async function startConsole(): Promise<StartedConsole> {
  const queryClient = createQueryClient();
  watchConnection();
  await Promise.all([startTexts(), restoreAnswers(queryClient, currentUserId())]);
  persistAnswers(queryClient, currentUserId);
  refreshOnReturn(queryClient);
  const router = createConsoleRouter(queryClient);
  watchSession(queryClient, router);
  void sendQueuedEdits(queryClient);
  void registerWorker();
  return { queryClient, router };
}

/** A silent server that answers again: what is on screen is asked anew. After a time without a network, Query does so. */
function refreshOnReturn(queryClient: QueryClient): void {
  let before = currentConnection();
  onConnectionChange(() => {
    const now = currentConnection();
    if (before === 'server_away' && now === 'online') void queryClient.invalidateQueries();
    before = now;
  });
}

/** After the first paint: edits that waited longer can wait for it. */
async function sendQueuedEdits(queryClient: QueryClient): Promise<void> {
  const { reload, replayOutbox, startOutbox } = await import('#pwa/offline/outbox.ts');
  startOutbox({
    userId: currentUserId,
    onSent: () => void queryClient.invalidateQueries({ queryKey: ['options'] }),
  });
  onStoredUserChange(() => void reload().then(replayOutbox));
}

function currentUserId(): number {
  return storedUser()?.id ?? 0;
}

/** The session's end, told by a 401 or by another tab: nothing of the user stays behind, and the sign-in opens. */
function watchSession(queryClient: QueryClient, router: ConsoleRouter): void {
  let userId = currentUserId();
  onOutcome((outcome) => {
    if (outcome !== 'session_over' || storedUser() === null) return;
    const from = router.state.location.href;
    const leaving = currentUserId();
    userId = 0;
    forgetUser();
    void forgetAnswers(queryClient, leaving).then(() => router.navigate({ to: '/login', search: { expired: true, from } }));
  });
  onStoredUserChange(() => {
    const now = currentUserId();
    if (now === userId) return;
    const before = userId;
    userId = now;
    // Signed in or out in another tab. What one user saw must not be drawn for the next.
    if (before !== 0) {
      void forgetAnswers(queryClient, before).then(() => router.invalidate());
    } else {
      // What a visitor was shown (prices of the default group) is not what this user is shown.
      queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' });
      void router.invalidate();
    }
  });
}
