// Builds the response for a prompt that a content filter blocked, for formats that report it as a response.
import { blockedPromptParts, isBlockedPrompt } from '#server/formats/blocked-prompt.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import { bufferResponse, eventStreamHeaders } from '#server/http/lean-response.ts';
import { requestIdHeaders } from '#server/call/relay-failure.ts';
import { type RunningCall, writerOptions } from '#server/call/running-call.ts';
import { everyHeaders } from '#server/call/every-headers.ts';

/** Returns null if the format reports it as an error. */
export function blockedResponse(call: RunningCall, error: ErrorObject): Response | null {
  const { kind, dialect, surface } = call.endpoint;
  if (dialect.reportsBlockedPrompts !== true || !kind.isWritten || !isBlockedPrompt(error)) return null;
  const ids = { ...everyHeaders(call.stages), ...requestIdHeaders(surface, call.requestId) };
  const options = writerOptions(call);
  if (call.stream === null) {
    const body = dialect.writeWhole(blockedPromptParts, null, options);
    return bufferResponse(200, { 'content-type': kind.contentType, ...ids }, Buffer.from(JSON.stringify(body)));
  }
  const writer = dialect.createStreamWriter(options);
  const text = blockedPromptParts.map((part) => writer.write(part)).join('') + writer.end(null);
  const { contentType } = call.stream;
  const type = contentType === undefined ? {} : { 'content-type': contentType };
  return bufferResponse(200, { ...eventStreamHeaders, ...type, ...ids }, Buffer.from(text));
}
