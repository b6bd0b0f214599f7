import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';

/** Under the edit lock `tokens-of:<user>`. @throws {AppError} `token_limit_reached` when so many more are too many */
export async function requireTokenCapacity({ db, settings }: AppContext, userId: number, count: number): Promise<void> {
  const limit = settings.get('MaxTokensPerUser');
  const existing = await db.collection('tokens').count({ user_id: userId, DeletedAt: null }, limit + 1);
  if (existing + count > limit) throw new AppError('token_limit_reached', { limit }, { field: 'count' });
}
