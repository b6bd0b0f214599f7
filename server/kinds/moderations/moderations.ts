// Moderation of texts and images, for callers and providers of OpenAI's format.
// https://platform.openai.com/docs/api-reference/moderations
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { type CallKind, type Decoded, identityOfFormat, jsonType, megabyte, openaiCall } from '../call-kind.ts';
import { errorIn, forwardBody, inOneStep, unwritten } from '../forward-body.ts';
import { readPromptUsage } from '../prompt-usage.ts';
import { openaiModerations } from './openai-client.ts';

export const moderations: CallKind = {
  name: 'moderations',
  canStream: false,
  // One to two kilobytes for each of 2048 inputs.
  mostResponseBytes: 8 * megabyte,
  contentType: jsonType,
  isWritten: false,
  isCount: false,
  over: null,
  identityOf: identityOfFormat,
  clientCall: openaiCall(openaiModerations),
  encode: forwardBody,
  decode,
  decodeLong: inOneStep(decode),
};

function decode(input: DecodeInput): Decoded {
  const text = input.body.toString('utf8');
  const error = errorIn(input, text);
  const reported = error === null ? parseObject(text) : null;
  if (reported === null || !Array.isArray(reported.results)) return { kind: 'failed', error };
  // OpenAI reports no usage; others do.
  const usage = readPromptUsage(reported.usage);
  if (usage === undefined) return { kind: 'failed', error: null };
  return { ...unwritten, usage, isEmpty: reported.results.length === 0, body: () => input.body };
}
