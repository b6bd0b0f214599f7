// Realtime sessions. Nothing is encoded or decoded here: messages pass over a socket (`server/call/realtime/`).
// https://platform.openai.com/docs/api-reference/realtime
import { AppError } from '#shared/errors.ts';
import { type CallKind, type Decoded, jsonType, megabyte, openaiCall } from '../call-kind.ts';
import { inOneStep } from '../forward-body.ts';
import { realtimeClient } from './realtime-client.ts';

export const realtime: CallKind = {
  name: 'realtime',
  canStream: true,
  mostResponseBytes: megabyte,
  contentType: jsonType,
  isWritten: true,
  isInSession: true,
  isCount: false,
  over: null,
  identityOf: () => null,
  clientCall: openaiCall(realtimeClient),
  encode() {
    throw new AppError('format_unsupported');
  },
  decode,
  decodeLong: inOneStep(decode),
};

function decode(): Decoded {
  return { kind: 'failed', error: null };
}
