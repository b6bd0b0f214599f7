// Usage of an organisation in parts: by member, team, token or model; of all of it, of a member, or of a team.
import { LogType } from '#shared/logs.ts';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import type { organisationApi, UsagePart } from '#shared/organisations.ts';
import type { QueryOf } from '#shared/contract.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { listParts, type PartOfUsage, spanOf, sumBy, tokensOf, usageByModel, usageByToken, type UsageSpan } from './read-usage.ts';
import type { Reached } from './reach.ts';

type Query = Partial<QueryOf<typeof organisationApi.usage>> & Pick<QueryOf<typeof organisationApi.usage>, 'by'>;

/** Who does not read the usage of the organisation gets the part of the own tokens. */
export async function readUsageParts(
  context: AppContext,
  { organisation: { id }, member: { role }, person }: Reached,
  { by, member_id: memberId, team_id: teamId, start_timestamp: start, end_timestamp: end }: Query,
): Promise<UsagePart[]> {
  const span = spanOf(context, start, end);
  const readsAll = mayInOrganisation(role, 'usage');
  const isWhole = readsAll && memberId === undefined && teamId === undefined;
  if (by === 'model' && isWhole) return listParts(await usageByModel(context, id, span), (name) => name);
  const all = await usageByToken(context, id, span);
  const tokens = await tokensOf(context, id, all.keys());
  const teamOf = teamId === undefined && by !== 'team' ? () => 0 : await teamsOf(context, id);
  const parts = isWhole
    ? all
    : new Map(
        [...all].filter(([key]) => {
          const token = tokens.get(key);
          const owner = token?.member_id ?? 0;
          if (!readsAll && owner !== person.id) return false;
          return (memberId === undefined || owner === memberId) && (teamId === undefined || teamOf(token) === teamId);
        }),
      );
  if (by === 'model') return listParts(await modelsOfTokens(context, { userId: id, tokens: [...parts.keys()], span }), (name) => name);
  if (by === 'token') return listParts(parts, (token) => tokens.get(token)?.name ?? '');
  if (by === 'team') {
    const teams = await context.db.collection('teams').find({ organisation_id: id }, { limit: 1000 });
    return listParts(sumBy(parts, tokens, teamOf), (team) => teams.find((one) => one.id === team)?.name ?? '');
  }
  const sums = sumBy(parts, tokens, (token) => token?.member_id ?? 0);
  const users = await usersById(
    context,
    [...sums.keys()].filter((member) => member !== 0),
  );
  return listParts(sums, (member) => nameOf(users.get(member)));
}

function nameOf(user: UserRecord | undefined): string {
  if (user === undefined) return '';
  return user.display_name === '' ? user.username : user.display_name;
}

/** Returns the function that names the team of a token: of a service account its own, of a member the one that the member is in now. */
async function teamsOf({ db }: Pick<AppContext, 'db'>, organisationId: number): Promise<(token: TokenRecord | undefined) => number> {
  const members = new Map<number, number>();
  for await (const member of db.collection('organisation_members').each({ organisation_id: organisationId }))
    members.set(member.user_id, member.team_id);
  return (token) => token?.team_id || (members.get(token?.member_id ?? 0) ?? 0);
}

/** Sums do not have model and token together, so these are counted in the rows of the log, less what was given back. */
async function modelsOfTokens(
  { db }: Pick<AppContext, 'db'>,
  { userId, tokens, span: { from, to } }: { userId: number; tokens: readonly number[]; span: UsageSpan },
): Promise<Map<string, PartOfUsage>> {
  if (tokens.length === 0 || from >= to) return new Map();
  const logs = db.collection('logs');
  const filter: Filter<LogRecord> = {
    user_id: userId,
    and: [{ created_at: { gte: from } }, { created_at: { lt: to } }, { token_id: { in: tokens } }],
  };
  const [calls, refunds] = await Promise.all([
    logs.group({
      filter: { and: [filter, { type: LogType.consumption }] },
      by: ['model_name'],
      sum: { quota: 'quota', prompt: 'prompt_tokens', completion: 'completion_tokens' },
    }),
    logs.group({ filter: { and: [filter, { refunded: { exists: true } }] }, by: ['model_name'], sum: { quota: 'refunded' } }),
  ]);
  const parts = new Map<string, PartOfUsage>();
  for (const row of calls) {
    const tokensUsed = Number(row['prompt']) + Number(row['completion']);
    parts.set(String(row['model_name'] ?? ''), { calls: row.count, tokens: tokensUsed, quota: Number(row['quota']) });
  }
  for (const row of refunds) {
    const part = parts.get(String(row['model_name'] ?? ''));
    if (part !== undefined) part.quota -= Number(row['quota']);
  }
  return parts;
}

export async function usersById({ db }: Pick<AppContext, 'db'>, ids: readonly number[]): Promise<Map<number, UserRecord>> {
  const users = ids.length === 0 ? [] : await db.collection('users').find({ id: { in: [...new Set(ids)] } });
  return new Map(users.map((user) => [user.id, user]));
}
