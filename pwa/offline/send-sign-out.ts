// Reports a sign-out to the server as soon as it can be reached: at once, when the network is back, or at the next start.
import { sessionApi } from '#shared/session.ts';
import { call } from '#pwa/api/call.ts';
import { dueSignOut, forgetSignOut } from '#pwa/api/due-sign-out.ts';
import { onOutcome } from '#pwa/api/outcomes.ts';
import { currentConnection, onConnectionChange } from './online-status.tsx';

/** The answer may be that of a sign-in, which needs a moment to remove the mark. Milliseconds. */
const answerDelay = 500;

let sending: Promise<boolean> | undefined;

/** True if there is nothing left to report. Never fails; of several calls at once one is sent. */
export function sendSignOut(timeout?: number): Promise<boolean> {
  sending ??= send(timeout).finally(() => {
    sending = undefined;
  });
  return sending;
}

/** Tries again whenever the server can be reached. Gives the way to stop. */
export function retrySignOut(): () => void {
  const stopConnection = onConnectionChange(() => {
    if (currentConnection() === 'online') void sendSignOut();
  });
  // The first answer of a server that was unreachable may belong to any request: it triggers the sign-out.
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stopOutcome = onOutcome((outcome) => {
    if (outcome !== 'answered' || sending !== undefined || dueSignOut() === null) return;
    clearTimeout(timer);
    timer = setTimeout(() => void sendSignOut(), answerDelay);
  });
  return () => {
    clearTimeout(timer);
    stopConnection();
    stopOutcome();
  };
}

async function send(timeout: number | undefined): Promise<boolean> {
  const due = dueSignOut();
  if (due === null) return true;
  const ago_ms = Math.max(0, Date.now() - due.at);
  try {
    await call(sessionApi.logout, { query: { ago_ms }, ...(timeout === undefined ? {} : { timeout }) });
  } catch {
    return false;
  }
  // Another sign-out may have come meanwhile.
  if (dueSignOut()?.at === due.at) forgetSignOut();
  return true;
}
