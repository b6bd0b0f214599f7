// Bounds the length of a response over all routes of the call: the overrides and model mappings of channels count in addition to the caller's limit.
import { pictureModel, tokensOf } from '#shared/picture-order.ts';
import { maxOutputTokens } from '#server/money/max-output-tokens.ts';
import { picturesCostMore } from '#server/money/quote.ts';
import { largestOnRoutes, possibleRoutes } from '#server/call/admission/possible-routes.ts';
import type { CallToReserve, ExpectedPrompt } from '#server/call/admission/reserve-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';

export interface Output {
  choices: number;
  /** Limit of each choice as requested by the client; 0 without one. */
  named: number;
  /** Tokens of all choices: of the largest response, and the number with which most responses are complete. */
  most: number;
  least: number;
}

export function outputOf(services: RelayServices, call: CallToReserve, { made = 0 }: ExpectedPrompt): Output {
  const { context, settlement } = services;
  const { learned } = settlement;
  const { endpoint, model, parameters } = call;
  if (!endpoint.kind.isWritten) return { choices: 1, named: 0, most: made, least: made };
  const { settings } = context;
  const named = parameters.maxTokens > 0 ? Math.max(parameters.maxTokens, raisedLimit(services, call)) : 0;
  const requested: Requested = {
    model,
    named,
    isRespected: named > 0 && !learned.ignoresLimits(model, call.admission.user.id),
    choices: parameters.choices,
    prompts: parameters.prompts ?? 1,
    otherwise: settings.get('DefaultMaxOutputTokens'),
  };
  let { choices, most } = outputAs(requested, model, {});
  // A call with a limit below the provider's minimum is refused before it is sent.
  let leastTaken = 0;
  for (const route of call.routes ?? possibleRoutes(services, call)) {
    leastTaken = Math.max(leastTaken, route.dialect.leastMaxTokens ?? 0);
    if (route.paramOverride === null && route.upstreamModel === model) continue;
    // Overrides do not apply to turns of a session.
    const there = endpoint.kind.isInSession === true ? outputAs(requested, route.upstreamModel, {}) : outputOn(route, requested);
    choices = Math.max(choices, there.choices);
    most = Math.max(most, there.most);
  }
  const picture = picturesCostMore(call.quoted.price) ? pictureTokens(services, call) : 0;
  most = Math.max(most, picture);
  const taken = Math.min(most, leastTaken);
  const needed = Math.max(1, taken, picture, Math.ceil(learned.mostResponses(model) ?? settings.get('PreConsumedQuota')));
  return {
    choices,
    named,
    most: most * choices,
    least: Math.min(most, named === 0 ? needed : Math.min(Math.max(named, picture), needed)) * choices,
  };
}

/** Image request by which images in chat responses are estimated. */
const anyPicture = { count: 1, size: undefined, quality: undefined, partials: 0, frames: 1 };

/**
 * Returns the minimum tokens of a response by a model whose images cost more than its text: one image with its text. A limit
 * makes no image smaller.
 */
function pictureTokens(services: RelayServices, call: CallToReserve): number {
  const { model } = call;
  const ofRoutes = largestOnRoutes(services, call, ({ upstreamModel }) => tokensOf(anyPicture, pictureModel(upstreamModel, model)));
  return Math.max(ofRoutes, tokensOf(anyPicture, model));
}

interface Requested {
  model: string;
  /** Requested limit of each choice; 0 without one. */
  named: number;
  /** Whether there is a limit that the model's upstreams respect. */
  isRespected: boolean;
  choices: number;
  prompts: number;
  /** Largest output of a model whose maximum is unknown. */
  otherwise: number;
}

interface Overridden {
  /** Limit of each choice, in tokens. */
  limit?: number | undefined;
  /** Choices for each prompt. */
  choices?: number | undefined;
}

/** Returns the tokens of each choice, and the number of choices. No response exceeds the model's maximum; if limits are ignored, it may reach it. */
function outputAs(
  { model, named, isRespected, choices, prompts, otherwise }: Requested,
  upstreamModel: string,
  overridden: Overridden,
): { choices: number; most: number } {
  const known = maxOutputTokens(upstreamModel) ?? maxOutputTokens(model);
  const limited = known === null ? named : Math.min(named, known);
  const largest = known ?? Math.max(otherwise, overridden.limit ?? 0);
  return { most: isRespected ? limited : Math.max(limited, largest), choices: Math.max(choices, prompts * (overridden.choices ?? 1)) };
}

/** Returns the output on a route whose override may set model, choices and limit; the caller's limit is retained (`retainLimits`). */
function outputOn({ dialect, upstreamModel, paramOverride }: ChannelRoute, requested: Requested): { choices: number; most: number } {
  if (paramOverride === null) return outputAs(requested, upstreamModel, {});
  const { model } = paramOverride;
  return outputAs(requested, typeof model === 'string' ? model : upstreamModel, {
    limit: dialect.limits.read(paramOverride),
    choices: dialect.choicesIn?.(paramOverride),
  });
}

/** Returns the limit to which a name that enables thinking raises a lower one; 0 if none does. */
function raisedLimit(services: RelayServices, call: CallToReserve): number {
  const { settings } = services.context;
  return largestOnRoutes(services, call, ({ dialect, upstreamModel }) => dialect.leastLimit?.(call.body, upstreamModel, settings));
}
