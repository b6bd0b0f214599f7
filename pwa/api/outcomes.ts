// Outcomes of calls for the connection and the session. `pwa/api` does not know its listeners; they subscribe here.

/**
 * `answered`: the server spoke. `unreachable`: it did not, though there seems to be a network. `offline`: there is none.
 * `session_over`: a call that needs a session was refused for lack of one. `organisation_refused`: an organisation is not open to the user as it was.
 */
export type Outcome = 'answered' | 'unreachable' | 'offline' | 'session_over' | 'organisation_refused';

const listeners = new Set<(outcome: Outcome) => void>();

export function onOutcome(listener: (outcome: Outcome) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function reportOutcome(outcome: Outcome): void {
  for (const listener of listeners) listener(outcome);
}
