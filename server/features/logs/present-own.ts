// Rows of the log for an account: in an organisation, with the member who made each call for those who may read the calls of all members.
import type { Log } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { presentForOwner } from './present-log.ts';
import type { TokenScope } from './token-scope.ts';

type Context = Pick<AppContext, 'db'>;

export async function presentOwn(context: Context, records: readonly LogRecord[], { names_members: named }: TokenScope): Promise<Log[]> {
  const rows = records.map(presentForOwner);
  return named === true ? withMembers(context, rows) : rows;
}

/** Names members by the tokens of their calls, deleted ones included. A key that is handed over gets another token, so former calls stay the former member's. */
async function withMembers({ db }: Context, rows: readonly Log[]): Promise<Log[]> {
  const ids = distinct(rows.map(({ token_id: id }) => id));
  const tokens = ids.length === 0 ? [] : await db.collection('tokens').find({ id: { in: ids } });
  const memberIds = distinct(tokens.map(({ member_id: id = 0 }) => id));
  const users = memberIds.length === 0 ? [] : await db.collection('users').find({ id: { in: memberIds } });
  const names = new Map(users.map(({ id, display_name: name, username }) => [id, name === '' ? username : name]));
  const members = new Map(tokens.map(({ id, member_id: member = 0 }) => [id, { member_id: member, member_name: names.get(member) ?? '' }]));
  return rows.map((row) => ({ ...row, ...members.get(row.token_id) }));
}

function distinct(ids: readonly number[]): number[] {
  return [...new Set(ids)].filter((id) => id !== 0);
}
