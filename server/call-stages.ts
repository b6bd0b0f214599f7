// The stages of calls, in their order. A further one is a folder in `server/slices/` and a line here.
import type { AppContext } from '#server/context.ts';
import type { CallStage } from '#server/call/stages.ts';
import { affinityStage } from '#server/slices/affinity/stage.ts';
import { agentSessionsStage } from '#server/slices/agent-sessions/stage.ts';
import { blockedWordsStage } from '#server/slices/blocked-words/stage.ts';
import { compactionStage } from '#server/slices/compaction/stage.ts';
import { contextCachesStage } from '#server/slices/context-caches/stage.ts';
import { costHeaderStage } from '#server/slices/cost-header/stage.ts';
import { filesStage } from '#server/slices/files/stage.ts';
import { fineTuningStage } from '#server/slices/fine-tuning/stage.ts';
import { idempotencyStage } from '#server/slices/idempotency/stage.ts';
import { promptEditsStage } from '#server/slices/prompt-edits/stage.ts';
import { providerContainersStage } from '#server/slices/provider-containers/stage.ts';
import { rateLimitsStage } from '#server/slices/rate-limits/stage.ts';
import { remoteMediaStage } from '#server/slices/remote-media/stage.ts';
import { metricsStage } from '#server/slices/metrics/stage.ts';
import { serverTimingStage } from '#server/slices/server-timing/stage.ts';
import { signaturesStage } from '#server/slices/signatures/stage.ts';
import { statusPageStage } from '#server/slices/status-page/stage.ts';
import { tracesStage } from '#server/slices/traces/stage.ts';
import { turnStateStage } from '#server/slices/turn-state/stage.ts';

export function createCallStages(context: AppContext): readonly CallStage[] {
  return [
    // A repetition of an answered call is neither judged nor counted.
    idempotencyStage(context),
    // In this order: a refused call looks up nothing, and blocked prompts count against no limit.
    blockedWordsStage(context),
    rateLimitsStage(context),
    agentSessionsStage(context),
    fineTuningStage(context),
    filesStage(context),
    contextCachesStage(context),
    providerContainersStage(context),
    promptEditsStage(),
    compactionStage(context),
    remoteMediaStage(context),
    signaturesStage(context),
    turnStateStage(context),
    affinityStage(context),
    costHeaderStage(context),
    serverTimingStage(context),
    metricsStage(context),
    statusPageStage(context),
    tracesStage(context),
  ];
}
