// The relay's services in addition to the context, created once per process.
import type { AppContext } from '#server/context.ts';
import type { Connection } from '#server/http/connection.ts';
import type { RefusalLog } from '#server/logs/refusal-log.ts';
import type { ChannelHealth } from '#server/call/routing/channel-health.ts';
import type { LimitedCallers } from '#server/call/routing/limited-callers.ts';
import type { KeyPicker } from '#server/call/routing/key-picker.ts';
import type { ChannelPicker } from '#server/call/routing/channel-picker.ts';
import type { ChannelUse } from '#server/call/settlement/channel-use.ts';
import type { ResponseBuffers } from '#server/call/settlement/response-buffers.ts';
import type { CallSettlement } from '#server/call/settlement/call-settlement.ts';
import type { SessionGate } from '#server/call/admission/session-gate.ts';
import type { ModelTags } from '#server/call/model-list.ts';
import type { StreamClock } from '#server/call/stream/stream-clock.ts';
import type { CallStages } from '#server/call/stages.ts';
import type { TokenGate } from '#server/call/admission/token-gate.ts';
import type { RefusalWatch } from '#server/tokens/refusal-watch.ts';
import type { ChannelIndex } from '#server/exchange/channel-index.ts';

export interface RelayServices {
  readonly context: AppContext;
  readonly channels: ChannelIndex;
  readonly picker: ChannelPicker;
  readonly health: ChannelHealth;
  /** Health of the keys of channels with several, by their ids. */
  readonly keyHealth: ChannelHealth;
  readonly limitedCallers: LimitedCallers;
  readonly keys: KeyPicker;
  readonly modelTags: ModelTags;
  readonly stages: CallStages;
  readonly gate: TokenGate;
  readonly sessions: SessionGate;
  readonly settlement: CallSettlement;
  readonly use: ChannelUse;
  readonly clock: StreamClock;
  readonly responseBuffers: ResponseBuffers;
  readonly refusals: RefusalWatch;
  readonly refusalLog: RefusalLog;
  /** Reports whether the server is closing connections, so that clients that disconnect now were cut. */
  readonly isEnding: () => boolean;
  /** Returns the client's IP address; forwarding headers count only from trusted proxies. */
  addressOf(request: Request, connection: Connection | null): string;
}
