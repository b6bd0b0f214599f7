// A cache of the caller's own that a prompt goes on from: it lies behind one key of one channel, whose provider knows it by another name.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { looseMember } from '#server/formats/proto-json.ts';
import { badField } from '#server/formats/strict-fields.ts';
import type { NamedFiles } from '#server/call/referenced-files.ts';
import { keyBehind } from '#server/exchange/key-behind.ts';

type Looking = Pick<AppContext, 'db' | 'channels' | 'secrets' | 'now' | 'settings'>;

const prefix = 'cachedContents/';
const field = 'cachedContent';
const ofAnother = { zh: '属于另一个模型', en: 'is of another model' };

/** Null: it names none, or one that nobody here has where everything passes as it is. @param text of the body @throws {AppError} `cached_content_not_found`, `invalid_request` for one of another model */
export function cacheNamed(
  context: Looking,
  { userId, text, body, model }: { userId: number; text: string; body: Readonly<Record<string, unknown>>; model: string },
): Promise<NamedFiles | null> | null {
  // Most calls name none, and are not looked into.
  if (!text.includes('ached')) return null;
  const reported = looseMember(body, field);
  return typeof reported === 'string' && reported !== '' ? find(context, { userId, reported, model }) : null;
}

async function find(
  { db, channels, secrets, now, settings }: Looking,
  { userId, reported, model }: { userId: number; reported: string; model: string },
): Promise<NamedFiles | null> {
  const id = reported.startsWith(prefix) ? reported.slice(prefix.length) : reported;
  const found = await db.collection('context_caches').first({ id, user_id: { unindexedEq: userId } });
  const channel = found === null ? undefined : channels.get(found.channel_id);
  const isThere = found?.state === 'stored' && found.expires_at > now() / 1000;
  if (found === null && settings.get('global.pass_through_request_enabled')) return null;
  if (found === null || !isThere || channel === undefined || keyBehind(secrets, channel) !== found.key)
    throw new AppError('cached_content_not_found', { id: id.slice(0, 100) }, { field });
  if (found.model !== model) throw badField(field, ofAnother);
  return {
    channel: channel.id,
    first: reported,
    field,
    names: new Map([[reported, found.upstream_id]]),
    records: [],
    tokens: found.tokens,
  };
}
