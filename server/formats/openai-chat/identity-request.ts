// Identity path of chat completion requests. Fields without a rule are unchanged; if nothing changes, the client's text is sent.
import { bytesOfJson, writeJson } from '#server/framing/long-json.ts';
import { refuseAccountObject, withoutCallerFiles } from '../provider-objects.ts';
import type { EncodedRequest, EncodeInput } from '../encode-input.ts';
import { withChannelEdits, withSystemPrompt } from '../channel-edits.ts';
import { cacheKeyFor } from '../prompt-cache.ts';
import { describeRequest } from '../finalize-request.ts';
import { withModel } from '../model-in-text.ts';
import { retainLimits } from '../token-limits.ts';
import { findAccountObject } from './provider-objects.ts';
import { limits } from './limits.ts';
import { applyTraits } from './traits.ts';

type Body = Readonly<Record<string, unknown>>;

export function writeRequest(input: EncodeInput): EncodedRequest {
  const { body, route, seen } = input;
  if (input.isPassThrough !== true) refuseObjects(input);
  const adapted = input.isPassThrough === true ? { body, dropped: [] } : applyTraits(body, input);
  const edited = input.isPassThrough === true ? body : editedBody(input, adapted.body);
  const text = edited === body ? bodyText(input) : writeJson(edited, input.longTexts);
  // The text has the provider's model name by now.
  const isRenamed = input.isPassThrough !== true && edited['model'] !== route.upstreamModel && route.paramOverride === null;
  const described = describeRequest(
    isRenamed ? { ...edited, model: route.upstreamModel } : edited,
    input,
    edited === body ? seen : undefined,
  );
  return { ...described, body: bytesOfJson(text, input.longTexts), dropped: adapted.dropped };
}

/** @throws {AppError} `account_object_refused` */
function refuseObjects({ body, callerFiles }: EncodeInput): void {
  const field = findAccountObject(callerFiles === undefined ? body : withoutCallerFiles(body, callerFiles));
  if (field !== undefined) refuseAccountObject(field);
}

/** Whether the client requested a usage chunk. */
function wantsUsage({ stream_options: options }: Body): boolean {
  return typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true;
}

/** Returns the body with all edits, or the same object if none is needed beyond those of `bodyText`. */
function editedBody(input: EncodeInput, adapted: Body): Body {
  const { body, route } = input;
  const hasOptions = Object.hasOwn(body, 'stream_options');
  const isRemoved = hasOptions && !sendsStreamOptions(input);
  const needsObject = isRemoved || (hasOptions && addsUsage(input));
  if (adapted === body && !needsObject && route.paramOverride === null) return body;

  let edited: Record<string, unknown> = { ...adapted, model: route.upstreamModel };
  if (isRemoved) delete edited.stream_options;
  else if (addsUsage(input)) edited.stream_options = { ...asObject(body.stream_options), include_usage: true };
  const key = cacheKeyFor(body, input);
  if (key !== undefined) edited.prompt_cache_key = key;
  if (route.paramOverride !== null) {
    edited = retainLimits(withChannelEdits(withSystemPrompt(edited, input), input), input, limits);
  }
  return edited;
}

function sendsStreamOptions({ isStream, route }: EncodeInput): boolean {
  return isStream && route.provider.streamOptions !== undefined;
}

function addsUsage(input: EncodeInput): boolean {
  if (!input.isStream || !input.forceUsage || input.isCount === true || input.isPassThrough === true) return false;
  return input.route.provider.streamOptions === 'ask' && !wantsUsage(input.body);
}

const usageRequest = ',"stream_options":{"include_usage":true}';

/** Returns the client's text with the model name, the usage option and the cache key spliced in. */
function bodyText(input: EncodeInput): string {
  const { rawText, body, route } = input;
  if (input.isPassThrough === true) return rawText;
  const text = withModel(rawText, body, route.upstreamModel);
  const key = cacheKeyFor(body, input);
  if (text !== null) {
    const added = `${addsUsage(input) ? usageRequest : ''}${key === undefined ? '' : `,"prompt_cache_key":"${key}"`}`;
    // A present key without a value would be duplicated.
    if (key === undefined || !Object.hasOwn(body, 'prompt_cache_key'))
      return added === '' ? text : `${text.slice(0, text.lastIndexOf('}'))}${added}}`;
  }
  const written = {
    ...body,
    model: route.upstreamModel,
    ...(addsUsage(input) ? { stream_options: { include_usage: true } } : {}),
    ...(key === undefined ? {} : { prompt_cache_key: key }),
  };
  return writeJson(written, input.longTexts);
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
