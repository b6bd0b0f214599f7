// Fill-in-the-middle completions: a prompt and a suffix; the response is a chat response.
// https://docs.mistral.ai/api/endpoint/fim
import { writeJson } from '#server/framing/long-json.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { requestedByBody } from '#server/formats/call-address.ts';
import { type ClientCall, plainTokenBytes } from '#server/formats/client-dialect.ts';
import { criticalMembers } from '#server/formats/critical-members.ts';
import type { CallInput } from '#server/formats/encode-input.ts';
import { encodeRequest } from '#server/formats/encode-request.ts';
import { clientDialects } from '#server/formats/registry.ts';
import { emptyPrompt } from '#server/formats/prompt-content.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { type CallKind, openaiCall } from './call-kind.ts';
import { chat } from './chat.ts';

const tokenLimit = 1_073_741_823;
const { limits } = clientDialects['openai-chat'];

const fimClient: ClientCall = {
  read: requestedByBody,
  check,
  parameters(body) {
    // Streams always report usage.
    return { maxTokens: limits.read(body) ?? 0, choices: 1, wantsUsage: true, mostTokenBytes: plainTokenBytes };
  },
  promptContent({ prompt, suffix }) {
    const content = emptyPrompt();
    for (const text of [prompt, suffix]) if (typeof text === 'string') content.texts.push(text);
    return content;
  },
  names: criticalMembers(limits.names, ['model', 'prompt', 'suffix', 'n', 'stream', 'stream_options']),
};

/** @throws {AppError} 400 `invalid_request` with the invalid field */
function check(body: Body): void {
  if (body.prompt === undefined) throw badField('prompt', fieldRules.required);
  const fields = new StrictFields(body);
  fields.text('prompt');
  fields.text('suffix');
  for (const name of limits.names) fields.integer(name, 1, tokenLimit);
  // The API returns a single choice.
  fields.integer('n', 1, 1);
  for (const field of ['temperature', 'top_p']) fields.number(field);
  fields.boolean('stream');
}

export const fim: CallKind = {
  ...chat,
  name: 'fim',
  clientCall: openaiCall(fimClient),
  encode: (input) => encodeRequest(withoutOptions(input)),
};

/** Removes `stream_options`, which the API does not have. */
function withoutOptions(input: CallInput): CallInput {
  const { stream_options: options, ...body } = input.body;
  if (input.isPassThrough === true) return input;
  return { ...input, forceUsage: false, ...(options === undefined ? {} : { body, rawText: writeJson(body, input.longTexts) }) };
}
