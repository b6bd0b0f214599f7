// Who acts, in async context: whatever a call or a job stores is recorded under its actor without a parameter.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditSpec } from '#shared/audit-spec.ts';

export interface Actor {
  /** Null for the system and for visitors. */
  user: { id: number; name: string; role: number } | null;
  by: 'session' | 'access_token' | 'job' | 'none';
  /** Name of the job; empty for others. */
  job: string;
  ip: string;
  userAgent: string;
  requestId: string;
  /** Role of the user whose records are changed, if that is another one. */
  rank?: number;
  /** Whether a file of settings as code is applied, which may change what it manages. */
  applies?: boolean;
  /** Entry that the contract of the call names. */
  spec?: AuditSpec | undefined;
}

const acting = new AsyncLocalStorage<Actor>();

const server: Actor = { user: null, by: 'job', job: '', ip: '', userAgent: '', requestId: '' };

/** Records what `work` stores under this actor. */
export function actingAs<Result>(actor: Actor, work: () => Result): Result {
  return acting.run(actor, work);
}

/** Records what `work` stores under the name of a job, or of a command. */
export function actingAsJob<Result>(job: string, work: () => Result): Result {
  return acting.run({ ...server, job }, work);
}

/** Records what `work` stores as a change of what a user of this role has: only those above that user read it. */
export function actingOn<Result>(rank: number, work: () => Result): Result {
  return acting.run({ ...currentActor(), rank }, work);
}

/** Lets `work` change what files manage, under the current actor. */
export function actingForFile<Result>(work: () => Result): Result {
  return acting.run({ ...currentActor(), applies: true, spec: undefined }, work);
}

/** Reports whether records of files are refused to the current actor: a person at the console, or with an access token. */
export function isHeldByFiles(): boolean {
  return currentActor().user !== null && !isApplyingFile();
}

export function isApplyingFile(): boolean {
  return currentActor().applies === true;
}

/** Returns the current actor; outside of calls and jobs, the system. */
export function currentActor(): Actor {
  return acting.getStore() ?? server;
}
