// State of the first-run set-up. One row decides: the request that changes it from open to claimed does the set-up.
import { Role } from '#shared/roles.ts';
import { isSetUp, setupFact } from '#server/accounts/setup-check.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/** A set-up that broke off half-way may be finished by another call after this. */
const claimMs = 30_000;

export interface SetupState {
  isDone: boolean;
  /** The super admin exists: only the mode is still to be chosen. */
  hasRoot: boolean;
}

export async function readSetupState(context: Pick<AppContext, 'db'>): Promise<SetupState> {
  if (await isSetUp(context)) return { isDone: true, hasRoot: true };
  return { isDone: false, hasRoot: (await findRoot(context)) !== null };
}

export async function findRoot(context: Pick<AppContext, 'db'>): Promise<UserRecord | null> {
  return context.db.collection('users').first({ role: Role.root, DeletedAt: null });
}

/** True for exactly one of any number of callers, until the set-up is done or the claim has run out. */
export async function claimSetup(context: AppContext): Promise<boolean> {
  const now = context.now();
  const claimed = await context.db
    .collection('facts')
    .patch(
      { id: setupFact, 'value.state': 'open', 'value.claimed_until': { lte: now } },
      { set: { 'value.claimed_until': now + claimMs } },
      { insertIfMissing: { id: setupFact, value: { state: 'open', claimed_until: now + claimMs } } },
    );
  return claimed !== null;
}

/** Gives the claim back after a refusal, so that the next try need not wait. */
export async function releaseSetup(context: AppContext): Promise<void> {
  await context.db.collection('facts').patch({ id: setupFact, 'value.state': 'open' }, { set: { 'value.claimed_until': 0 } });
}

export async function finishSetup(context: AppContext): Promise<void> {
  await context.db.collection('facts').patch({ id: setupFact }, { set: { value: { state: 'done', at: context.now() } } });
}
