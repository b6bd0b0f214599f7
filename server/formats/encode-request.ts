// Encodes a client's request for the channel's provider: forwarded if both use the same format, otherwise translated.
import { AppError } from '#shared/errors.ts';
import { maxOutputTokens } from '#server/money/max-output-tokens.ts';
import type { CallInput, EncodedRequest, EncodeInput } from './encode-input.ts';
import { writeJson } from '#server/framing/long-json.ts';
import { PartBudget } from '#server/framing/part-budget.ts';
import { takeJsonTexts } from './json-texts.ts';
import { onlyAllowed } from './allowed-tools.ts';
import { withFilledCallIds } from './filled-call-ids.ts';
import { finalizeRequest } from './finalize-request.ts';
import type { ChatRequest } from './parts.ts';
import { takesPlainThoughts } from './plain-thoughts.ts';
import { withPlainSchemas } from './plain-schema.ts';
import { paidRequest, searchesStores } from './hosted-tools.ts';
import { thisChannel, untranslatable } from './losses.ts';
import { thoughtsRule } from './thoughts-rule.ts';
import { marksPrompts } from './prompt-marks.ts';
import { withKnownSignatures } from './signature-memory.ts';
import { withSpokenErrors } from './tool-errors.ts';
import { plainBody, withoutSurcharges } from './surcharges.ts';

/** @throws {AppError} `format_unsupported`, `untranslatable`, `invalid_request`, `body_too_complex`, `bodies_of_caller`, `bodies_of_server` */
export function encodeRequest(given: CallInput): EncodedRequest {
  const requested = given.outputBound === undefined ? given : withinModel(given);
  const { route, isCount, forceUsage, settings } = requested;
  if (route.identity !== null) {
    const { call, dropped } = withoutSurcharges(requested);
    const encoded = route.identity.writeRequest(boundInput(call, call.isPassThrough === true ? null : mostOf(call)));
    return dropped.length === 0 ? encoded : { ...encoded, dropped: [...dropped, ...encoded.dropped] };
  }
  const input = boundInput(requested, null);
  const { countBody } = route.dialect;
  if (isCount === true && countBody === undefined) throw new AppError('format_unsupported');
  const dropped: string[] = [];
  const budget = input.budget?.() ?? new PartBudget();
  takeJsonTexts(budget, input.client.jsonTexts ?? {}, input.body, route.dialect.parsesResults === true);
  const request = paidRequest(input, limited(withFilledCallIds(readRequest(input)), mostOf(input)), dropped);
  const spoken = withSpokenErrors(request, route.dialect.carriedFields);
  const takesAllowed = route.dialect.takesAllowedTools === true || route.provider.takesAllowedTools === true;
  const written = route.dialect.writeRequest(withPlainSchemas(takesAllowed ? spoken : onlyAllowed(spoken)), {
    upstreamModel: route.upstreamModel,
    knownAs: route.knownAs,
    forceUsage: forceUsage && route.provider.streamOptions !== undefined,
    settings,
    budget,
    withoutFields: input.withoutFields,
    takesPlainThoughts: takesPlainThoughts(route),
    marksPrompt: marksPrompts(route, settings),
    cacheMarks: route.provider.cacheMarks?.models.test(route.upstreamModel) === true ? route.provider.cacheMarks : undefined,
    thinkingWords: route.provider.thinking,
    thoughts: thoughtsRule(input),
  });
  const plain = { ...plainBody(input, written.body, dropped) };
  // The route's format cannot search vector stores.
  if (input.searchingTool !== undefined && !searchesStores(plain)) throw untranslatable(input.searchingTool, thisChannel);
  const body = isCount === true && countBody !== undefined ? countBody(plain, route) : plain;
  return finalizeRequest({ ...written, body, dropped: [...written.dropped, ...dropped] }, input);
}

function readRequest({ client, body, originModel, isStream, route, signatures }: EncodeInput): ChatRequest {
  return withKnownSignatures({ ...client.readRequest(body), model: originModel, isStream }, route.dialect, signatures);
}

/** Returns the model's maximum output tokens; null if unknown. */
function mostOf({ originModel, route: { upstreamModel } }: CallInput): number | null {
  return maxOutputTokens(upstreamModel) ?? maxOutputTokens(originModel);
}

/**
 * Lowers the limit to the model's maximum: agents request that of the largest models, and providers reject more than their
 * model's.
 */
function limited(request: ChatRequest, most: number | null): ChatRequest {
  if (most === null || request.maxTokens === undefined || request.maxTokens <= most) return request;
  return { ...request, maxTokens: most };
}

/** Lowers the account's bound to the maximum of this channel's model. */
function withinModel(call: CallInput): CallInput {
  const { outputBound } = call;
  const most = mostOf(call);
  return outputBound === undefined || most === null || outputBound <= most ? call : { ...call, outputBound: most };
}

/**
 * Applies the account's bound to the limits of the body.
 * @param most maximum tokens, which existing limits may not exceed
 */
function boundInput(requested: CallInput, most: number | null): EncodeInput {
  const { body: clientBody, outputBound = Infinity, client } = requested;
  const isBeyond = most !== null && (client.limits.read(clientBody) ?? 0) > most;
  const bound = Math.min(outputBound, isBeyond ? most : Infinity);
  if (bound === Infinity) return { ...requested, clientBody };
  const body = client.limits.bound(clientBody, bound);
  return { ...requested, clientBody, body, rawText: writeJson(body, requested.longTexts) };
}
