// Creates the relay of a process and its services.
import type { AppContext } from '#server/context.ts';
import { createAddressReader } from '#server/http/client-address.ts';
import { createRefusalLog } from '#server/logs/refusal-log.ts';
import { createChannelHealth } from '#server/call/routing/channel-health.ts';
import { createLimitedCallers } from '#server/call/routing/limited-callers.ts';
import { createKeyPicker } from '#server/call/routing/key-picker.ts';
import { createKeyCooldowns } from '#server/exchange/keys/key-cooldowns.ts';
import { createChannelPicker } from '#server/call/routing/channel-picker.ts';
import { createChannelUse } from '#server/call/settlement/channel-use.ts';
import { createResponseBuffers } from '#server/call/settlement/response-buffers.ts';
import { createCallSettlement } from '#server/call/settlement/call-settlement.ts';
import { createSessionGate } from '#server/call/admission/session-gate.ts';
import { createModelTags } from '#server/call/model-list.ts';
import type { RelayServices } from '#server/call/services.ts';
import { createRelaySockets, type RelaySockets } from '#server/call/sockets/open-socket.ts';
import { createStreamClock } from '#server/call/stream/stream-clock.ts';
import { createTokenGate } from '#server/call/admission/token-gate.ts';
import { type CallStage, compileStages } from '#server/call/stages.ts';
import { createRefusalWatch } from '#server/tokens/refusal-watch.ts';

export interface Relay {
  readonly services: RelayServices;
  readonly sockets: RelaySockets;
  /** Number of open streams. */
  readonly openStreams: number;
  /** Stops accepting calls on sockets. */
  retire(): void;
  /** The same, and ends calls whose client has disconnected. */
  drain(): void;
  /** Ends open streams with an error that states the shutdown. Connections are closed soon after. */
  shutDown(): void;
}

/** A refused key cools down at once: the channel has others. */
const pausesOfKeys = { after: 1, first: 2_000, longest: 600_000 };

export function createRelay(context: AppContext, stages: readonly CallStage[]): Relay {
  const health = createChannelHealth({ now: context.now, onFailure: context.figures.failed });
  const { keys, keyHealth, cooldowns } = createKeys(context);
  const addresses = createAddressReader(context.env.TRUSTED_PROXIES);
  let isEnding = false;
  const services: RelayServices = {
    context,
    channels: context.channels,
    health,
    keyHealth,
    limitedCallers: createLimitedCallers(context.now),
    keys,
    picker: createChannelPicker({ index: context.channels, health, keys, random: context.random }),
    modelTags: createModelTags({ channels: context.channels, context }),
    stages: compileStages(stages, context.settings),
    gate: createTokenGate(context),
    sessions: createSessionGate(context),
    settlement: createCallSettlement(context),
    use: createChannelUse(context),
    clock: createStreamClock((cause) => context.log.error({ err: cause }, 'a stream failed unexpectedly')),
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
    cooldowns.stop();
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
    retire: () => sockets.drain(),
    drain() {
      services.settlement.abandoned.shutDown();
      sockets.drain();
    },
    shutDown() {
      isEnding = true;
      services.settlement.abandoned.shutDown();
      services.clock.shutDown();
      sockets.shutDown();
    },
  };
}

/** Choice, health and cool-downs of keys, for channels with several. */
function createKeys(context: AppContext) {
  const { now, random, keyFigures: figures } = context;
  const keyHealth = createChannelHealth({ now, pauses: pausesOfKeys, onPause: (id, pause) => cooldowns.began(id, pause) });
  const cooldowns = createKeyCooldowns(context, keyHealth);
  const onExhausted: Parameters<typeof createKeyPicker>[0]['onExhausted'] = ({ id }, pause) => cooldowns.began(id, pause);
  cooldowns.start();
  return { keys: createKeyPicker({ health: keyHealth, figures, onExhausted, random, now }), keyHealth, cooldowns };
}
