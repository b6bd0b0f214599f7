import { AppError } from '#shared/errors.ts';
import { LogType } from '#shared/logs.ts';
import { mayActOn } from '#shared/roles.ts';
import type { AppContext } from '#server/context.ts';
import type { Caller } from '#server/http/call.ts';
import { endSessionsOf } from '#server/http/session.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { readUser } from './store.ts';

/** Signs a user out everywhere; of the caller's own sessions this one stays. Answers how many ended. */
export async function endSessions(context: AppContext, caller: Caller, id: number): Promise<number> {
  const user = await readUser(context, id);
  const isSelf = user.id === caller.user.id;
  if (!isSelf && !mayActOn(caller.user.role, user.role)) throw new AppError('user_edit_denied');
  const count = await endSessionsOf(context, id, isSelf ? caller.sessionId : null);
  if (count > 0 && !isSelf) {
    await writeLog(context, {
      user_id: user.id,
      username: user.username,
      type: LogType.management,
      content: `管理员结束了用户的 ${count} 个登录会话`,
      event: { code: 'sessions_ended', count },
      by: caller.user,
      group: user.group,
    });
  }
  return count;
}
