// Text completions. Without such a path, or for models without it, each prompt becomes a user message of its own chat
// call, and the answers are joined into one completion with one bill.
import { writeJson } from '#server/framing/long-json.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ResponseWriterOptions } from '#server/formats/client-dialect.ts';
import type { CallInput } from '#server/formats/encode-input.ts';
import { decodeLong } from '#server/formats/decode-long.ts';
import { decodeWhole } from '#server/formats/decode-whole.ts';
import { encodeRequest } from '#server/formats/encode-request.ts';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { badField } from '#server/framing/strict-fields.ts';
import type { ErrorInResponse } from '#server/formats/stream-pipe.ts';
import { type DecodeTokens, isTokenList } from '#server/formats/token-lists.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { type CallKind, type CallPiece, jsonType, megabyte } from './call-kind.ts';
import { chat } from './chat.ts';

type Body = Readonly<Record<string, unknown>>;

const openai = clientDialects['openai-completions'];
const unknownTokens = { zh: '含有不存在的词元编号', en: 'holds tokens that do not exist' };

export const completions: CallKind = {
  name: 'completions',
  canStream: true,
  mostResponseBytes: 32 * megabyte,
  contentType: jsonType,
  isWritten: true,
  isCount: false,
  over: {
    kind: chat,
    dialect: upstreamDialects['openai-chat'],
    split,
    join: { of: 'objects', join },
    stream: { endOfStream, errorInStream },
  },
  identityOf: (_client, dialect) => dialect.completions ?? null,
  clientCall: ({ calls }) => calls.completions,
  encode: (input) => encodeRequest(withLimit(input)),
  decode: decodeWhole,
  decodeLong,
};

/**
 * Sets the default limit of the format's vendor, because providers' defaults differ and the reservation assumes this
 * one.
 */
function withLimit(input: CallInput): CallInput {
  const { max_tokens: named } = input.body;
  if (named !== undefined && named !== null) return input;
  const body = { ...input.body, max_tokens: openai.calls.completions.parameters(input.body).maxTokens };
  return { ...input, body, rawText: writeJson(body, input.longTexts) };
}

function split(body: Body, decodeTokens: DecodeTokens): readonly CallPiece[] | Promise<readonly CallPiece[]> {
  const { prompt, echo, n } = body;
  const prompts: readonly unknown[] = Array.isArray(prompt) && !isTokenList(prompt) ? prompt : [prompt ?? ''];
  const choices = typeof n === 'number' ? n : 1;
  const pieces = (texts: readonly unknown[]) =>
    texts.map((text, index) => ({
      body: { ...body, prompt: text },
      requested: { firstChoice: index * choices, ...(echo === true ? { echo: text } : {}) },
    }));
  const lists = prompts.filter(isTokenList);
  if (lists.length === 0) return pieces(prompts);
  return decodeTokens(lists).then((decoded) => {
    if (decoded === null) throw badField('prompt', unknownTokens);
    const texts = decoded.values();
    return pieces(prompts.map((one) => (isTokenList(one) ? texts.next().value : one)));
  });
}

function join(responses: readonly Body[]): Record<string, unknown> {
  const [first = {}] = responses;
  const { usage: _usage, ...head } = first;
  const usages = responses.flatMap(({ usage }) => (isObject(usage) ? [usage] : []));
  const choices = responses.flatMap(({ choices: some }): unknown[] => (Array.isArray(some) ? some : []));
  return { ...head, choices, ...(usages.length === responses.length ? { usage: summed(usages) } : {}) };
}

/** Sums the numbers of all usages at any depth. */
function summed(usages: readonly Body[]): Record<string, unknown> {
  const sum: Record<string, unknown> = {};
  for (const usage of usages) {
    for (const [name, value] of Object.entries(usage)) {
      const before = sum[name];
      if (typeof value === 'number') sum[name] = (typeof before === 'number' ? before : 0) + value;
      else if (isObject(value)) sum[name] = summed(isObject(before) ? [before, value] : [value]);
    }
  }
  return sum;
}

/** Error and usage events, which the stream reader treats as the provider's. */
function errorInStream(
  { status, message, type, param, code }: ErrorInResponse,
  usage: TokenUsage | null,
  writer: ResponseWriterOptions,
): string {
  const reported = usage === null ? {} : { usage: openai.writeWhole([], usage, writer)['usage'] };
  return `data: ${JSON.stringify({ error: { message, type, param, code, status }, ...reported })}\n\n`;
}

const ending = 'data: [DONE]\n\n';

function endOfStream(usage: TokenUsage | null, writer: ResponseWriterOptions): string {
  if (usage === null) return ending;
  const whole = openai.writeWhole([], usage, writer);
  return `data: ${JSON.stringify({ ...whole, choices: [] })}\n\n${ending}`;
}
