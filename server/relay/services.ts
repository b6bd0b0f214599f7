// What the relay works with beside the context, made once per process.
import type { AppContext } from '#server/context.ts';
import type { Connection } from '#server/http/connection.ts';
import type { RefusalLog } from '#server/logs/refusal-log.ts';
import type { ChannelHealth } from '#server/relay/routing/channel-health.ts';
import type { ChannelPicker } from '#server/relay/routing/channel-picker.ts';
import type { Affinities } from '#server/relay/routing/affinity.ts';
import type { CacheWatch } from '#server/relay/accounting/cache-watch.ts';
import type { CostDrift } from '#server/relay/accounting/cost-drift.ts';
import type { ChannelUse } from '#server/relay/accounting/channel-use.ts';
import type { ExcessCharges } from '#server/relay/accounting/excess-charges.ts';
import type { ResponseBuffers } from '#server/relay/accounting/response-buffers.ts';
import type { AbandonedCalls } from '#server/relay/accounting/abandoned-calls.ts';
import type { LearnedUsage } from '#server/relay/accounting/learned-usage.ts';
import type { BlockedWords } from '#server/relay/admission/blocked-words.ts';
import type { RateGate } from '#server/relay/admission/rate-gate.ts';
import type { SessionBudgets } from '#server/relay/admission/session-budget.ts';
import type { SessionGate } from '#server/relay/admission/session-gate.ts';
import type { CallSignatures } from '#server/relay/call-signatures.ts';
import type { KeptSummaries } from '#server/relay/kept-summaries.ts';
import type { ModelTags } from '#server/relay/model-list.ts';
import type { OwnModels } from '#server/relay/own-models.ts';
import type { StreamClock } from '#server/relay/stream/stream-clock.ts';
import type { TurnStates } from '#server/relay/turn-state.ts';
import type { UnknownEndings } from '#server/relay/unknown-endings.ts';
import type { TokenGate } from '#server/relay/admission/token-gate.ts';
import type { RefusalWatch } from '#server/tokens/refusal-watch.ts';
import type { ChannelIndex } from '#server/upstream/channel-index.ts';

export interface RelayServices {
  readonly context: AppContext;
  readonly channels: ChannelIndex;
  readonly picker: ChannelPicker;
  readonly health: ChannelHealth;
  readonly affinities: Affinities;
  readonly caches: CacheWatch;
  readonly costs: CostDrift;
  readonly ownModels: OwnModels;
  readonly modelTags: ModelTags;
  readonly turnStates: TurnStates;
  readonly signatures: CallSignatures;
  readonly summaries: KeptSummaries;
  readonly gate: TokenGate;
  readonly sessions: SessionGate;
  readonly words: BlockedWords;
  readonly rates: RateGate;
  readonly budgets: SessionBudgets;
  readonly unknownEndings: UnknownEndings;
  readonly learned: LearnedUsage;
  readonly excess: ExcessCharges;
  readonly use: ChannelUse;
  readonly clock: StreamClock;
  readonly abandoned: AbandonedCalls;
  readonly responseBuffers: ResponseBuffers;
  readonly refusals: RefusalWatch;
  readonly refusalLog: RefusalLog;
  /** The server is about to cut what is open: clients that go now were cut. */
  readonly isEnding: () => boolean;
  /** Address of the client; forwarding headers count only from trusted proxies. */
  addressOf(request: Request, connection: Connection | null): string;
}
