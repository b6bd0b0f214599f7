// Registration bonuses: recorded with the new account, and credited exactly once, by the registration or by a job if
// its process died.
import { AppError } from '#shared/errors.ts';
import { LogType } from '#shared/logs.ts';
import { hasLeftAnother } from '#server/accounts/left-identities.ts';
import { quotaText } from '#server/accounts/quota-text.ts';
import type { AppContext } from '#server/context.ts';
import { eachDue } from '#server/db/each-due.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { writeLog } from '#server/logs/write-log.ts';

type Welcome = NonNullable<UserRecord['welcome']>;
type BonusCode = 'signup_bonus' | 'invitee_bonus' | 'inviter_reward';

/** Maximum duration of a registration. */
const overdueMs = 60_000;

/** Credits the bonuses of a new user and of the inviter. */
export async function giveWelcome(context: AppContext, user: UserRecord): Promise<void> {
  const { welcome } = user;
  if (welcome === undefined) return;
  const isAgain = await hasLeftAnother(context, user, welcome.identities ?? []);
  await credit(context, user, {
    amount: isAgain ? 0 : welcome.signup,
    kind: 'signup',
    text: '新用户注册赠送',
    code: 'signup_bonus',
    actorId: welcome.actor,
  });
  const invited = {
    amount: isAgain ? 0 : welcome.invitee,
    kind: 'invitee',
    text: '使用邀请码赠送',
    code: 'invitee_bonus',
    actorId: user.inviter_id,
  } as const;
  await credit(context, user, invited);
  await giveOpening(context, user, welcome);
  if (user.inviter_id !== 0) await rewardInviter(context, user.inviter_id, user.id, isAgain ? 0 : welcome.inviter);
  await context.db.collection('users').patch({ id: user.id }, { unset: ['welcome', 'welcome_at'] });
}

/** Continues bonuses of dead processes. */
export async function finishWelcomes(context: AppContext): Promise<void> {
  await eachDue({
    items: context.db.collection('users').each({ welcome_at: { lt: context.now() - overdueMs } }),
    work: (user) =>
      giveWelcome(context, user).catch((failure: unknown) => {
        if (!(failure instanceof AppError)) throw failure;
        context.log.warn({ user: user.id, reason: failure.message }, 'a bonus of a registration could not be credited');
      }),
  });
}

interface Bonus {
  amount: number;
  kind: string;
  text: string;
  code: BonusCode;
  actorId: number;
}

async function credit(context: AppContext, user: UserRecord, { amount, kind, actorId, text, code }: Bonus): Promise<void> {
  if (amount <= 0) return;
  const { isNew } = await context.ledger.change({ account: 'user', id: user.id, amount, kind, ref: `${kind}:${user.id}`, actorId });
  if (isNew) await writeSystemLog(context, user, { text, code, amount });
}

/** Not a bonus: recorded as the administrator's action, with a log row about the resulting balance. */
async function giveOpening(context: AppContext, user: UserRecord, { opening: amount = 0, actor: actorId }: Welcome): Promise<void> {
  if (amount <= 0) return;
  const ref = `opening:${user.id}`;
  const { isNew, balance } = await context.ledger.change({ account: 'user', id: user.id, amount, kind: 'opening', ref, actorId });
  if (!isNew) return;
  const by = await context.db.collection('users').get(actorId);
  const from = balance - amount;
  await writeLog(context, {
    user_id: user.id,
    username: user.username,
    type: LogType.management,
    content: `管理员将用户额度从 ${quotaText(context, from)}修改为 ${quotaText(context, balance)}`,
    event: { code: 'quota_set', from, to: balance },
    ...(by === null ? {} : { by }),
    group: user.group,
  });
}

/**
 * Invite earnings are pending until a transfer moves them to the balance through the ledger. The mark prevents counting
 * them twice on a retry; marks are removed after a day, when no retry is possible.
 */
async function rewardInviter(context: AppContext, inviterId: number, userId: number, reward: number): Promise<void> {
  const mark = `marks.i${userId}` as const;
  const inviter = await context.db
    .collection('users')
    .patch(
      { id: inviterId, [mark]: { exists: false } },
      { set: { [mark]: context.now() }, increment: { aff_count: 1, aff_quota: reward, aff_history_quota: reward } },
    );
  if (inviter === null || reward <= 0) return;
  await writeSystemLog(context, inviter, { text: '邀请用户赠送', code: 'inviter_reward', amount: reward });
}

function writeSystemLog(
  context: AppContext,
  user: UserRecord,
  { text, code, amount }: { text: string; code: BonusCode; amount: number },
): Promise<void> {
  return writeLog(context, {
    user_id: user.id,
    username: user.username,
    type: LogType.system,
    content: `${text} ${quotaText(context, amount)}`,
    event: { code, amount },
    group: user.group,
  });
}
