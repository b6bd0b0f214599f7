// Stores caches with their owner, and presents them.
import { memberFilter, type ObjectOwner, ofOwner } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { pageQuery } from '#server/db/record-page.ts';
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';

type Storing = Pick<AppContext, 'db' | 'settings' | 'now'>;

export function mostCaches({ settings }: Pick<AppContext, 'settings'>): number {
  return settings.get('ContextCachesPerUser');
}

/**
 * Finds a usable cache.
 * @throws {AppError} `cached_content_not_found`, also for other users' and expired ones
 */
export async function findCache(context: Pick<Storing, 'db' | 'now'>, owner: ObjectOwner, id: string): Promise<ContextCacheRecord> {
  const found = await context.db.collection('context_caches').first({ id, user_id: { unindexedEq: owner.userId }, ...memberFilter(owner) });
  if (found === null || !isUsable(context, found)) throw new AppError('cached_content_not_found', { id: id.slice(0, 100) });
  return found;
}

export function isUsable({ now }: Pick<Storing, 'now'>, { state, expires_at: until }: ContextCacheRecord): boolean {
  return state === 'stored' && until > now() / 1000;
}

/**
 * Newest first; one more than the page size if there are more.
 * @throws {AppError} `cached_content_not_found` for an unknown `after`
 */
export async function listCaches(
  context: Pick<Storing, 'db' | 'now'>,
  owner: ObjectOwner,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<ContextCacheRecord[]> {
  const own = { ...ofOwner(owner), state: 'stored' as const, expires_at: { gt: Math.floor(context.now() / 1000) } };
  const { where, options } = pageQuery({ limit, after: after === undefined ? undefined : await findCache(context, owner, after) });
  return context.db.collection('context_caches').find({ and: [own, ...where] }, options);
}

/**
 * Counts include the new cache, so concurrent creations cannot exceed the limit.
 * @throws {AppError} `context_caches_full`
 */
export async function checkRoom(context: Storing, userId: number): Promise<void> {
  const most = mostCaches(context);
  if ((await context.db.collection('context_caches').count({ user_id: userId }, most + 1)) > most)
    throw new AppError('context_caches_full', { caches: most });
}

/** https://ai.google.dev/api/caching#CachedContent */
export function presentCache(record: ContextCacheRecord): object {
  const time = (at: number) => new Date(at * 1000).toISOString();
  return {
    name: `cachedContents/${record.id}`,
    displayName: record.display_name,
    model: `models/${record.model}`,
    createTime: time(record.created_at),
    updateTime: time(record.updated_at),
    expireTime: time(record.expires_at),
    usageMetadata: { totalTokenCount: record.tokens },
  };
}
