// A context cache of the caller that a prompt continues. It belongs to one key of one channel, whose provider has another name for it.
import { memberFilter, ownerIn } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { addMediaTokens, type PromptContent } from '#server/formats/prompt-content.ts';
import { looseMember } from '#server/formats/proto-json.ts';
import { badField } from '#server/framing/strict-fields.ts';
import type { AdmittedCall } from '#server/call/admission/admit-call.ts';
import { checkReach } from '#server/call/check-reach.ts';
import { renameObjects } from '#server/call/rename-objects.ts';
import type { CallStage, StageRun } from '#server/call/stages.ts';
import type { CallToSend } from '#server/exchange/exchange.ts';
import { channelBehind } from '#server/exchange/key-behind.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { reaches } from '#server/exchange/keys/channel-keys.ts';

type Services = Pick<AppContext, 'db' | 'channels' | 'secrets' | 'now' | 'settings'>;

const prefix = 'cachedContents/';
const field = 'cachedContent';
const ofAnother = { zh: '属于另一个模型', en: 'is of another model' };

export function contextCachesStage(services: Services): CallStage {
  return {
    name: 'context-caches',
    applies: ({ dialect }) => dialect.namesCaches === true,
    open(call) {
      const { text, body } = call.content;
      // A body without the member is not searched.
      if (!text.includes('ached')) return null;
      const name = looseMember(body, field);
      return typeof name === 'string' && name !== '' ? find(services, call, name) : null;
    },
  };
}

/** Unknown names pass where every request passes unchanged. @throws {AppError} `cached_content_not_found`, `invalid_request` for a cache of another model */
async function find(services: Services, call: AdmittedCall, name: string): Promise<StageRun | null> {
  const { db, channels, secrets, now, settings } = services;
  const id = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  const found = await db
    .collection('context_caches')
    .first({ id, user_id: { unindexedEq: call.admission.user.id }, ...memberFilter(ownerIn(call.admission)) });
  const channel = found === null ? undefined : channelBehind({ channels, secrets }, found.channel_id, found.key);
  const isThere = found?.state === 'stored' && found.expires_at > now() / 1000;
  if (found === null && settings.get('global.pass_through_request_enabled')) return null;
  if (found === null || !isThere || channel === undefined)
    throw new AppError('cached_content_not_found', { id: id.slice(0, 100) }, { field });
  if (found.model !== call.requested.model) throw badField(field, ofAnother);
  checkReach(channels, call, { channel: channel.id, id: name, field });
  return new NamedCache({ channel, tokens: found.tokens, upstreamIds: new Map([[name, found.upstream_id]]) });
}

interface CacheAtChannel {
  /** Channel with the key that the cache was made with. */
  channel: PreparedChannel;
  /** Tokens of the cache, which are a part of the prompt. */
  tokens: number;
  upstreamIds: ReadonlyMap<string, string>;
}

class NamedCache implements StageRun {
  readonly #cache: CacheAtChannel;

  constructor(cache: CacheAtChannel) {
    this.#cache = cache;
  }

  fits(channel: PreparedChannel): boolean {
    return reaches(channel, this.#cache.channel);
  }

  promptContent(prompt: PromptContent): void {
    if (this.#cache.tokens > 0) addMediaTokens(prompt, this.#cache.tokens);
  }

  request(sending: CallToSend): void {
    renameObjects(sending, this.#cache.upstreamIds);
  }
}
