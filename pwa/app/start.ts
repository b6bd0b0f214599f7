// Steps between loading and the first render: texts, stored answers, and subscriptions.
import type { QueryClient } from '@tanstack/react-query';
import { actingId } from '#pwa/api/acting.ts';
import { dueSignOut } from '#pwa/api/due-sign-out.ts';
import { onOutcome } from '#pwa/api/outcomes.ts';
import {
  forgetAndHoldUser,
  forgetUser,
  heldUser,
  holdUser,
  onStoredUserChange,
  signedInUser,
  storedUser,
  wasForgottenHere,
} from '#pwa/api/stored-user.ts';
import { startTexts } from '#pwa/i18n/setup.ts';
import { forgetDevice } from '#pwa/offline/forget-device.ts';
import { currentConnection, onConnectionChange, watchConnection } from '#pwa/offline/online-status.tsx';
import { type AnswersOwner, dropAnswers, forgetAnswers, persistAnswers, restoreAnswers, wipeStored } from '#pwa/offline/query-persister.ts';
import { registerWorker } from '#pwa/offline/register-worker.ts';
import { searchOfSignIn } from '#pwa/api/way-back.ts';
import { hasUnsavedEdits } from '#pwa/ui/form/unsaved-store.ts';
import { retrySignOut, sendSignOut } from '#pwa/offline/send-sign-out.ts';
import { setLeaving } from './is-leaving.ts';
import { createQueryClient } from './query-client.ts';
import { createConsoleRouter, type ConsoleRouter } from './router.ts';

/** How long a start waits for the server to end the last session, in milliseconds. */
const signOutPatience = 3000;

export interface StartedConsole {
  queryClient: QueryClient;
  router: ConsoleRouter;
  /** What loads more files, and can wait until the first screen stands. */
  onDrawn: () => void;
}

export async function startConsole(): Promise<StartedConsole> {
  const queryClient = createQueryClient();
  watchConnection();
  retrySignOut();
  await Promise.all([startTexts(), finishSignOut().then(() => restoreAnswers(queryClient, answersOwner()))]);
  persistAnswers(queryClient, answersOwner);
  refreshOnReturn(queryClient);
  const router = createConsoleRouter(queryClient);
  watchSession(queryClient, router);
  watchAccount(queryClient);
  return {
    queryClient,
    router,
    onDrawn() {
      void sendQueuedEdits(queryClient);
      void registerWorker();
    },
  };
}

/** A sign-out that was cut short, by a missing network or a closed browser, comes before everything else. */
async function finishSignOut(): Promise<void> {
  const due = dueSignOut();
  if (due === null) return;
  if (currentUserId() !== 0) forgetUser();
  await Promise.all([wipeStored(due.userId), forgetDevice(due.userId)]);
  if (currentConnection() !== 'offline') await sendSignOut(signOutPatience);
}

/** Refreshes the data on screen when an unreachable server responds again. After a time without a network, Query does so itself. */
function refreshOnReturn(queryClient: QueryClient): void {
  let before = currentConnection();
  onConnectionChange(() => {
    const now = currentConnection();
    if (before === 'server_away' && now === 'online') void queryClient.invalidateQueries();
    before = now;
  });
}

/** Sends queued edits of an earlier visit. Without a signed-in user there are none. */
async function sendQueuedEdits(queryClient: QueryClient): Promise<void> {
  if (currentUserId() === 0) await signedIn();
  const { reload, replayOutbox, startOutbox } = await import('#pwa/offline/outbox.ts');
  startOutbox({
    userId: currentUserId,
    onSent: (shownBy) => void queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => shownBy.has(kind) }),
  });
  onStoredUserChange(() => void reload().then(replayOutbox));
}

function signedIn(): Promise<void> {
  return new Promise((resolve) => {
    const stop = onStoredUserChange(() => {
      if (currentUserId() === 0) return;
      stop();
      resolve();
    });
  });
}

function currentUserId(): number {
  return storedUser()?.id ?? 0;
}

function answersOwner(): AnswersOwner {
  return { userId: currentUserId(), organisationId: actingId() };
}

/** Shows nothing of one account for another; follows what the server says of the organisation that the tab acts for. */
function watchAccount(queryClient: QueryClient): void {
  let shown = answersOwner();
  onStoredUserChange(() => {
    const before = shown;
    shown = answersOwner();
    if (before.userId !== shown.userId || before.organisationId === shown.organisationId) return;
    dropAnswers(queryClient);
    void restoreAnswers(queryClient, shown);
  });
  onOutcome((outcome) => {
    if (outcome === 'organisation_refused' && actingId() !== 0) {
      void import('./follow-organisation.ts').then(
        (part) => part.followOrganisation(queryClient),
        () => undefined,
      );
    }
  });
}

/**
 * Handles the session's end, reported by a 401 or by another tab: the user's data is removed, and the sign-in opens. While there is unsaved input,
 * the page stays as it is, and the sign-in opens over it (`sign-in-again.tsx`).
 */
function watchSession(queryClient: QueryClient, router: ConsoleRouter): void {
  let user = storedUser();
  let userId = currentUserId();

  async function leave(former: number, search: { expired?: true; from?: string }): Promise<void> {
    setLeaving(true);
    await forgetAnswers(queryClient, former);
    // Another user may have signed in meanwhile, in another tab.
    if (currentUserId() === 0) await router.navigate({ to: '/login', search });
    else await router.invalidate();
    setLeaving(false);
  }
  onOutcome((outcome) => {
    if (outcome !== 'session_over' || storedUser() === null || heldUser() !== null) return;
    if (hasUnsavedEdits()) {
      forgetAndHoldUser();
      return;
    }
    const former = currentUserId();
    userId = 0;
    forgetUser();
    void leave(former, { expired: true, ...searchOfSignIn(router.state.location.href) });
  });
  const follow = (): void => {
    if (heldUser() !== null) {
      if (signedInUser()?.id !== userId) return;
      // The same account is back, here or in another tab: what was typed can be sent.
      holdUser(null);
      void queryClient.invalidateQueries();
      return;
    }
    const now = currentUserId();
    if (now === userId) {
      user = storedUser() ?? user;
      return;
    }
    if (userId !== 0 && !wasForgottenHere() && hasUnsavedEdits()) {
      holdUser(user);
      return;
    }
    const before = userId;
    user = storedUser();
    userId = now;
    // Signed in or out, here or in another tab. What one user saw must not be drawn for the next.
    if (before !== 0) {
      void leave(before, {});
    } else {
      // What a visitor was shown (prices of the default group) is not what this user is shown.
      queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' });
      void router.invalidate();
    }
  };
  onStoredUserChange(follow);
  // A page that the browser had suspended missed the events.
  addEventListener('pageshow', follow);
  document.addEventListener('visibilitychange', follow);
}
