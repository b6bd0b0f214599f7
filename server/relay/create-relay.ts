// The relay of one process: its services, made from the context, and its routes.
import type { AppContext } from '#server/context.ts';
import { createAddressReader } from '#server/http/client-address.ts';
import { createRefusalLog } from '#server/logs/refusal-log.ts';
import { createChannelHealth } from '#server/relay/routing/channel-health.ts';
import { createChannelPicker } from '#server/relay/routing/channel-picker.ts';
import { createAffinities } from '#server/relay/routing/affinity.ts';
import { createMovedCalls } from '#server/relay/routing/moved-calls.ts';
import { createCacheWatch } from '#server/relay/accounting/cache-watch.ts';
import { createCostDrift } from '#server/relay/accounting/cost-drift.ts';
import { createChannelUse } from '#server/relay/accounting/channel-use.ts';
import { createExcessCharges } from '#server/relay/accounting/excess-charges.ts';
import { createResponseBuffers } from '#server/relay/accounting/response-buffers.ts';
import { createAbandonedCalls } from '#server/relay/accounting/abandoned-calls.ts';
import { createLearnedUsage } from '#server/relay/accounting/learned-usage.ts';
import { createBlockedWords } from '#server/relay/admission/blocked-words.ts';
import { createRateGate } from '#server/relay/admission/rate-gate.ts';
import { createSessionBudgets } from '#server/relay/admission/session-budget.ts';
import { createSessionGate } from '#server/relay/admission/session-gate.ts';
import { createModelTags } from '#server/relay/model-list.ts';
import { createOwnModels } from '#server/relay/own-models.ts';
import type { RelayServices } from '#server/relay/services.ts';
import { createRelaySockets } from '#server/relay/sockets/open-socket.ts';
import type { RelaySockets } from '#server/relay/sockets/open-socket.ts';
import { createStreamClock } from '#server/relay/stream/stream-clock.ts';
import { createTokenGate } from '#server/relay/admission/token-gate.ts';
import { createCallSignatures } from '#server/relay/call-signatures.ts';
import { createKeptSummaries } from '#server/relay/kept-summaries.ts';
import { createUnknownEndings } from '#server/relay/unknown-endings.ts';
import { createTurnStates } from '#server/relay/turn-state.ts';
import { createRefusalWatch } from '#server/tokens/refusal-watch.ts';

export interface Relay {
  readonly services: RelayServices;
  readonly sockets: RelaySockets;
  /** Streams that are open right now. */
  readonly openStreams: number;
  /** What nobody waits for any more ends now. */
  drain(): void;
  /** Open streams end with an error that says why. Connections are cut soon after. */
  shutDown(): void;
}

export function createRelay(context: AppContext): Relay {
  const health = createChannelHealth({ now: context.now, onFailure: context.figures.failed });
  const addresses = createAddressReader(context.env.TRUSTED_PROXIES);
  let isEnding = false;
  const services: RelayServices = {
    context,
    channels: context.channels,
    health,
    affinities: createAffinities(context),
    caches: createCacheWatch(),
    costs: createCostDrift(context),
    picker: createChannelPicker({ index: context.channels, health, random: context.random, moves: createMovedCalls(context.now) }),
    ownModels: createOwnModels(context),
    modelTags: createModelTags(context),
    turnStates: createTurnStates(context),
    signatures: createCallSignatures(context),
    summaries: createKeptSummaries(context),
    gate: createTokenGate(context),
    sessions: createSessionGate(context),
    words: createBlockedWords(context),
    rates: createRateGate(context),
    budgets: createSessionBudgets(context),
    unknownEndings: createUnknownEndings(context.log),
    learned: createLearnedUsage(),
    excess: createExcessCharges(),
    use: createChannelUse(context),
    clock: createStreamClock((cause) => context.log.error({ err: cause }, 'a stream failed unexpectedly')),
    abandoned: createAbandonedCalls(),
    responseBuffers: createResponseBuffers(),
    refusals: createRefusalWatch(context),
    refusalLog: createRefusalLog(context),
    isEnding: () => isEnding,
    addressOf: addresses.read,
  };
  const sockets = createRelaySockets(services);
  const stopForgetting = context.changes.listen('channel', (id) => health.forget(Number(id)));
  context.onClose(async () => {
    stopForgetting();
    sockets.stop();
    services.gate.stop();
    services.refusals.stop();
    await services.refusalLog.stop();
    services.clock.stop();
    await services.use.stop();
  });
  return {
    services,
    sockets,
    get openStreams() {
      return services.clock.size;
    },
    drain() {
      services.abandoned.shutDown();
      sockets.drain();
    },
    shutDown() {
      isEnding = true;
      services.abandoned.shutDown();
      services.clock.shutDown();
      sockets.shutDown();
    },
  };
}
