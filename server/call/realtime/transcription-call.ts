// Transcription of a session's audio as a call: reserved by the length of the audio, charged by the provider's report.
import { noTokens } from '#shared/token-usage.ts';
import { inputAudioTokens, isByTokens, minutesOf, mostWritten } from '#server/kinds/audio/input-audio.ts';
import { readTranscriptUsage } from '#server/kinds/audio/transcript-usage.ts';
import { transcriptionBody, transcriptionContent, realtimeClient } from '#server/kinds/realtime/realtime-client.ts';
import { callKinds } from '#server/kinds/registry.ts';
import type { MeteredUsage } from '#server/call/settlement/metered-usage.ts';
import { realtimeEndpoint, type RelayEndpoint } from '#server/call/endpoints.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import { openTurn, type TurnOwner } from './open-turn.ts';

type Json = Readonly<Record<string, unknown>>;

/** Minimum seconds reserved. */
export const shortestSeconds = 30;

/**
 * Reserves a transcription.
 * @throws {AppError} as `openTurn`
 */
export function openTranscription(owner: TurnOwner, model: string, seconds: number): Promise<RunningCall> {
  return openTurn(owner, transcriptionEndpoint, transcriptionBody(model, seconds));
}

const content = (model: string) =>
  transcriptionContent((seconds) => {
    const received = inputAudioTokens(model, seconds);
    return { received, written: mostWritten(model, seconds), audio: isByTokens(model) ? received : 0 };
  });

const transcriptionEndpoint: RelayEndpoint = {
  ...realtimeEndpoint,
  ...realtimeClient,
  kind: callKinds.transcriptions,
  promptContent: (body, model) => content(model)(body, model),
};

/** Returns the reported usage; without a report, that of the reserved length. */
export function transcriptionUsage(call: RunningCall, event: Json, reserved: number): MeteredUsage {
  const { usage, seconds } = readTranscriptUsage(event);
  const { model } = call;
  const units = minutesOf(seconds ?? reserved);
  if (usage !== null && usage !== undefined) return { ...usage, promptSource: 'upstream', completionSource: 'upstream', units };
  const received = inputAudioTokens(model, seconds ?? reserved);
  const audioInput = isByTokens(model) ? received : 0;
  return { ...noTokens, input: received, audioInput, promptSource: 'estimated', completionSource: 'estimated', units };
}
