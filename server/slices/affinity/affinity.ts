// Identifies the conversation of a call. Providers cache prefixes of prompts for some minutes, each where it was read, so the calls
// of a conversation belong on one channel.
import type { AppContext } from '#server/context.ts';
import type { ClientDialect } from '#server/formats/client-dialect.ts';
import { type SessionIds, sessionOfCall } from '#server/formats/session-headers.ts';

/** A keyed hash, the same in every process. It stays in memory. */
export interface Affinity {
  readonly high: number;
  readonly low: number;
  /** How many items the conversation has so far. */
  readonly turns: number;
  /** Whose prompts its cache is judged by: narrower where a client gives many conversations one name for their cache. */
  readonly prompts: number;
  /** Hash of the first user message, whatever the instructions are; 0 if the client names the conversation. */
  readonly alike: number;
  /** Characters of the instructions at the beginning. */
  readonly reported: number;
}

interface AffinityRequest {
  dialect: ClientDialect;
  headers: Pick<Headers, 'get'>;
  body: Readonly<Record<string, unknown>>;
  userId: number;
  model: string;
  /** What the client itself calls it, where that is known already: a session, in which each agent has its own. Null: it does not. */
  session?: Pick<SessionIds, 'session' | 'agent'> | null;
}

export interface Affinities {
  /** Null: the format knows no conversations, or nothing is known of this one. */
  read(requested: AffinityRequest): Affinity | null;
  /** Opaque id of the conversation for providers: it reveals neither content nor user, and is unique per user. */
  keyOf(affinity: Affinity): string;
}

/** OpenAI takes 64. */
const keyLength = 32;

/** Characters of a name that a client gives its prompts. */
const longestKey = 1000;

export function createAffinities({ secrets }: Pick<AppContext, 'secrets'>): Affinities {
  const seed = secrets.hash('conversations');
  const start = hashOf(seed, { high: 0, low: 0 });
  return {
    read({ dialect, headers, body, userId, model, session: ids = sessionOfCall(dialect, headers, body) }) {
      if (dialect.beginningOf === undefined) return null;
      const { text, said, reported, turns, hasTools } = dialect.beginningOf(body);
      const cacheKey = body['prompt_cache_key'] === undefined ? null : cacheKeyIn(body);
      const session = ids === null ? null : `session:${ids.session}\n${ids.agent}`;
      const name = cacheKey ?? session ?? text;
      if (name === '') return null;
      // Titles and summaries that agents request within a session have no tools and other prompts.
      const begun = hashOf(`${userId}\n${model}\n${hasTools}\n`, start);
      const whole = wholeHash(name, begun);
      const isNamed = name !== text;
      return {
        high: whole.high,
        low: whole.low,
        turns,
        prompts: numberOf(cacheKey === null ? whole : wholeHash(session ?? `${cacheKey}\n${said}`, begun)),
        alike: isNamed || said === '' ? 0 : numberOf(wholeHash(said, hashOf('said:', begun))),
        reported,
      };
    },
    keyOf: ({ high, low }) => secrets.hash(`cache key ${high} ${low}`).slice(0, keyLength),
  };
}

/** The name under which the client's prompts are to be cached. It may be one for many conversations that begin alike. */
function cacheKeyIn({ prompt_cache_key: key }: AffinityRequest['body']): string | null {
  return typeof key === 'string' && key !== '' && key.length <= longestKey ? `key:${key}` : null;
}

/** Where a conversation stands with a channel of that weight: the lowest place of all is its own, and the next one comes after it. */
export function placeOf({ high, low }: Affinity, channelId: number, weight: number): number {
  // Weighted rendezvous hashing: a channel gets as many conversations as its weight says, and retains them whatever happens to others.
  const draw = (mixed(mixed(low ^ Math.imul(channelId, 0x9e3779b1)) ^ high) + 0.5) / 2 ** 32;
  return -Math.log(draw) / weight;
}

interface Hash {
  high: number;
  low: number;
}

function numberOf({ high, low }: Readonly<Hash>): number {
  return (high & 0x1f_ffff) * 2 ** 32 + low;
}

function wholeHash(text: string, begun: Hash): Hash {
  const hash = hashOf(text, begun);
  hash.high = mixed(hash.high);
  hash.low = mixed(hash.low);
  return hash;
}

/** Users only meet themselves here, so it needs to be quick, not hard to find another text for. */
function hashOf(text: string, start: Readonly<Hash>): Hash {
  let { high, low } = start;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    high = Math.imul(high ^ letter, 0x85ebca77);
    low = Math.imul(low ^ letter, 0xc2b2ae3d) ^ (high >>> 15);
  }
  return { high, low };
}

/** Every bit of it decides about every bit of the result. (The end of MurmurHash3.) */
function mixed(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
