// The request of a client that speaks OpenAI's format, to a provider that speaks it too. What nobody named a rule for goes
// on unchanged; when nothing changes at all, the client's own text does.
import type { RequestPlan } from '../dialect-channel.ts';
import type { EncodedRequest, EncodeInput } from '../encode-input.ts';
import { factsOf } from '../finish-request.ts';
import { keepLimits } from '../token-limits.ts';
import { limitFields } from './limit-fields.ts';
import { applyQuirks } from './request-quirks.ts';

type Body = Readonly<Record<string, unknown>>;

export function writeRequest(input: EncodeInput, plan: RequestPlan): EncodedRequest {
  const { body } = input;
  const adapted = input.isPassThrough === true ? { body, dropped: [] } : applyQuirks(body, input, plan);
  const edited = input.isPassThrough === true ? body : editedBody(input, plan, adapted.body);
  const text = edited === body ? bodyText(input, plan) : JSON.stringify(edited);
  return { ...factsOf(edited, input, plan), upstreamModel: plan.upstreamModel, body: Buffer.from(text), dropped: adapted.dropped };
}

/** The client itself asked for a usage chunk at the end of its stream. */
function wantsUsage({ stream_options: options }: Body): boolean {
  return typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true;
}

/** The body with all edits in it, or the very same object when none is needed beyond what `bodyText` does to the text. */
function editedBody(input: EncodeInput, plan: RequestPlan, adapted: Body): Body {
  const { body, channel, capability } = input;
  const isRemoved = Object.hasOwn(body, 'stream_options') && !sendsStreamOptions(input);
  const needsObject = isRemoved || (addsUsage(input) && Object.hasOwn(body, 'stream_options'));
  const hook = capability === 'embeddings' ? channel.provider?.embeddings : undefined;
  if (adapted === body && !needsObject && channel.paramOverride === null && hook === undefined) return body;

  let edited: Record<string, unknown> = { ...adapted, model: plan.upstreamModel };
  if (isRemoved) delete edited.stream_options;
  else if (addsUsage(input)) edited.stream_options = { ...asObject(body.stream_options), include_usage: true };
  if (hook !== undefined) edited = hook.request(edited);
  if (channel.paramOverride !== null) {
    // Whether it streams is the client's to say: it could not read anything else.
    const { stream: _stream, ...override } = channel.paramOverride;
    Object.assign(edited, override);
    edited = keepLimits(edited, input, limitFields);
  }
  return edited;
}

function sendsStreamOptions({ isStream, channel }: EncodeInput): boolean {
  return isStream && channel.provider?.quirks?.streamOptions !== undefined;
}

function addsUsage(input: EncodeInput): boolean {
  if (!input.isStream || !input.forceUsage || input.capability !== 'chat' || input.isPassThrough === true) return false;
  return input.channel.provider?.quirks?.streamOptions === 'ask' && !wantsUsage(input.body);
}

const modelKey = '"model"';
const usageRequest = ',"stream_options":{"include_usage":true}}';

/** The client's text, with another model name and a request for usage spliced in where needed. */
function bodyText(input: EncodeInput, plan: RequestPlan): string {
  const { rawText, body } = input;
  if (input.isPassThrough === true) return rawText;
  const at = rawText.indexOf(modelKey);
  // A text with two keys `model` means different things to different readers: one for whoever bills, another upstream.
  // Where that could be, what was read here is written anew. Escaped letters may hide a second key.
  const isPlain = at >= 0 && rawText.indexOf(modelKey, at + modelKey.length) < 0 && !rawText.includes('\\u00');
  const end = isPlain && typeof body.model === 'string' ? modelEnd(rawText, at, body.model) : -1;
  if (end < 0) {
    return JSON.stringify({
      ...body,
      model: plan.upstreamModel,
      ...(addsUsage(input) ? { stream_options: { include_usage: true } } : {}),
    });
  }
  let text = rawText;
  if (addsUsage(input)) text = text.slice(0, text.lastIndexOf('}')) + usageRequest;
  if (body.model === plan.upstreamModel) return text;
  return `${text.slice(0, at)}"model":${JSON.stringify(plan.upstreamModel)}${text.slice(end)}`;
}

/** Where the value after the key at `at` ends, when it is written as expected; else -1. */
function modelEnd(text: string, at: number, model: string): number {
  let start = skipBlanks(text, at + modelKey.length);
  if (text[start] !== ':') return -1;
  start = skipBlanks(text, start + 1);
  const value = JSON.stringify(model);
  return text.startsWith(value, start) ? start + value.length : -1;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 32) at++;
  return at;
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
