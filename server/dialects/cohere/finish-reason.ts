// Why a response ended, in this format's words.
import type { FinishReason } from '../parts.ts';

const read: ReadonlyMap<unknown, FinishReason> = new Map([
  ['COMPLETE', 'stop'],
  ['STOP_SEQUENCE', 'stop_sequence'],
  ['MAX_TOKENS', 'length'],
  ['ERROR_LIMIT', 'length'],
  ['TOOL_CALL', 'tool_calls'],
  ['ERROR_TOXIC', 'content_filter'],
]);

export function readFinishReason(value: unknown): FinishReason | null {
  return typeof value === 'string' && value !== '' ? (read.get(value) ?? 'stop') : null;
}

/** The response has failed, with whatever it has written. */
export function isFailure(value: unknown): boolean {
  return value === 'ERROR' || value === 'TIMEOUT';
}

const written: Readonly<Record<FinishReason, string>> = {
  stop: 'COMPLETE',
  stop_sequence: 'STOP_SEQUENCE',
  length: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
  content_filter: 'ERROR_TOXIC',
  pause: 'COMPLETE',
};

export function writeFinishReason(reason: FinishReason): string {
  return written[reason];
}
