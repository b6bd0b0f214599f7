// Affinity: the calls of a conversation go to one channel, and its name goes to providers that cache by it. With affinity switched off
// only the name is made, when a provider takes one.
import type { AppContext } from '#server/context.ts';
import type { AdmittedCall } from '#server/call/admission/admit-call.ts';
import { elapsed, type RunningCall } from '#server/call/running-call.ts';
import type { EndedCall } from '#server/call/ended-call.ts';
import type { CallStage, ChannelChoice, StageRun } from '#server/call/stages.ts';
import type { CallToSend } from '#server/exchange/exchange.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';
import { type Affinities, type Affinity, createAffinities, placeOf } from './affinity.ts';
import { type CacheWatch, createCacheWatch } from './cache-watch.ts';
import { createMovedCalls } from './moved-calls.ts';
import { type AffinityPick, createAffinityPick } from './pick-by-affinity.ts';

export function affinityStage({ secrets, settings, now }: Pick<AppContext, 'secrets' | 'settings' | 'now'>): CallStage {
  const affinities = createAffinities({ secrets });
  const services = { affinities, caches: createCacheWatch(), pick: createAffinityPick(createMovedCalls(now)), now };
  const isOn = () => settings.get('ChannelAffinityEnabled');
  return {
    name: 'affinity',
    // Only a written response has a prompt whose beginning is sent again.
    applies: ({ kind, dialect }) => kind.isWritten && dialect.beginningOf !== undefined && (isOn() || settings.get('PromptCachingEnabled')),
    open: (call) => (isOn() ? new ConversationAffinity(call, services) : new ConversationName(call, affinities)),
  };
}

/** Reads the conversation when something needs it. */
class ConversationName implements StageRun {
  readonly #call: AdmittedCall;
  readonly #affinities: Affinities;
  #read: Affinity | null | undefined;

  constructor(call: AdmittedCall, affinities: Affinities) {
    this.#call = call;
    this.#affinities = affinities;
  }

  /** Null: nothing is known of it. The body must be in memory the first time. */
  protected get affinity(): Affinity | null {
    if (this.#read !== undefined) return this.#read;
    const { endpoint, admission, content, conversation, session, requested, turn } = this.#call;
    const { dialect } = endpoint;
    const facts = { dialect, headers: turn.request.headers, body: content.body, userId: admission.user.id, model: requested.model };
    // A body in the place of the one that was sent may belong to another session.
    const isAsSent = conversation === null && turn.within === undefined;
    return (this.#read = this.#affinities.read(isAsSent ? { ...facts, session } : facts));
  }

  request(sending: CallToSend): void {
    // Not assigned at once: see `StreamRelay.stop`.
    const conversationKey = (): string | undefined => {
      const { affinity } = this;
      return affinity === null ? undefined : this.#affinities.keyOf(affinity);
    };
    sending.conversationKey = conversationKey;
  }
}

interface AffinityServices {
  affinities: Affinities;
  caches: CacheWatch;
  pick: AffinityPick;
  now(): number;
}

class ConversationAffinity extends ConversationName {
  readonly #services: AffinityServices;

  constructor(call: AdmittedCall, services: AffinityServices) {
    super(call, services.affinities);
    this.#services = services;
  }

  pick(choice: ChannelChoice): PreparedChannel | null | undefined {
    const { affinity } = this;
    return affinity === null ? undefined : this.#services.pick(affinity, choice);
  }

  placeOf(keyId: number, weight: number): number | undefined {
    const { affinity } = this;
    return affinity === null ? undefined : placeOf(affinity, keyId, weight);
  }

  override request(sending: CallToSend): void {
    super.request(sending);
    // A call that is bound to one channel has not been picked for, and its body may be gone when its end is judged.
    void this.affinity;
  }

  settling(row: ChargeRow, call: RunningCall, end: EndedCall): void {
    const missed = this.#missedCache(call, end);
    if (missed === undefined || row.other === null) return;
    row.other.cache_expected = missed;
    row.cache_broken = 1;
  }

  /** Tokens that should have come from the provider's cache and did not. */
  #missedCache(call: RunningCall, { usage, request, isWhole }: EndedCall): number | undefined {
    if (!isWhole || usage === null || request === null || usage.promptSource !== 'upstream') return undefined;
    const { affinity } = this;
    if (affinity === null) return undefined;
    const { price } = call.reserved.quoted;
    const isCheaper = price.kind === 'usage' && price.cacheRatio < 1;
    const cachesAll = isCheaper && request.route.dialect.preservesMarked !== true;
    const endedAt = this.#services.now();
    return this.#services.caches.ended({ affinity, usage, cachesAll, startedAt: endedAt - elapsed(call), endedAt });
  }
}
