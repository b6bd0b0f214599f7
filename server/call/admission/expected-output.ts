// How long a response may become, on whichever way its call goes: what channels have of it, their names for a model and their overrides, counts
// beside what its caller says.
import { pictureModel, tokensOf } from '#shared/picture-order.ts';
import { maxOutputTokens } from '#server/money/max-output-tokens.ts';
import { drawsDearer } from '#server/money/quote.ts';
import { largestOnRoutes, possibleRoutes } from '#server/call/admission/possible-routes.ts';
import type { CallToReserve, ExpectedPrompt } from '#server/call/admission/reserve-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';

export interface Output {
  choices: number;
  /** The limit on each choice as the client asked for it; 0 without. */
  named: number;
  /** All choices together: the largest response, and what most responses need. */
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
    isStored: named > 0 && !learned.ignoresLimits(model, call.admission.user.id),
    choices: parameters.choices,
    prompts: parameters.prompts ?? 1,
    otherwise: settings.get('DefaultMaxOutputTokens'),
  };
  let { choices, most } = outputAs(requested, model, {});
  for (const route of possibleRoutes(services, call)) {
    if (route.paramOverride === null && route.upstreamModel === model) continue;
    // Overrides do not reach the turns of a session.
    const there = endpoint.kind.isInSession === true ? outputAs(requested, route.upstreamModel, {}) : outputOn(route, requested);
    choices = Math.max(choices, there.choices);
    most = Math.max(most, there.most);
  }
  const picture = pictureTokens(services, call);
  most = Math.max(most, picture);
  // Whoever pays for fewer than any provider takes is refused before it is asked.
  const taken = Math.min(
    most,
    largestOnRoutes(services, call, ({ dialect }) => dialect.leastMaxTokens),
  );
  const needed = Math.max(1, taken, picture, Math.ceil(learned.mostResponses(model) ?? settings.get('PreConsumedQuota')));
  return {
    choices,
    named,
    most: most * choices,
    least: Math.min(most, named === 0 ? needed : Math.min(Math.max(named, picture), needed)) * choices,
  };
}

/** What an order of a picture is taken for, whatever it is to look like. */
const anyPicture = { count: 1, size: undefined, quality: undefined, partials: 0, frames: 1 };

/**
 * Of the least that a model answers with whose pictures cost more than its words: one of them, with what it writes beside, as where pictures
 * are ordered. A limit makes none smaller. 0: it is not such a model.
 */
function pictureTokens(services: RelayServices, call: CallToReserve): number {
  const { model, quoted } = call;
  if (!drawsDearer(quoted.price)) return 0;
  const ofRoutes = largestOnRoutes(services, call, ({ upstreamModel }) => tokensOf(anyPicture, pictureModel(upstreamModel, model)));
  return Math.max(ofRoutes, tokensOf(anyPicture, model));
}

interface Requested {
  model: string;
  /** Tokens of each choice; 0: no limit is named. */
  named: number;
  /** Limits are named and kept to. */
  isStored: boolean;
  choices: number;
  prompts: number;
  /** Tokens that a model writes of which nobody knows how much it can. */
  otherwise: number;
}

interface Overridden {
  /** Tokens of each choice. */
  limit?: number | undefined;
  /** For each prompt. */
  choices?: number | undefined;
}

/** Of each choice, and how many there are. Nothing is longer than the largest; where limits are not kept to, the largest is what it may become. */
function outputAs(
  { model, named, isStored, choices, prompts, otherwise }: Requested,
  upstreamModel: string,
  overridden: Overridden,
): { choices: number; most: number } {
  const known = maxOutputTokens(upstreamModel) ?? maxOutputTokens(model);
  const limited = known === null ? named : Math.min(named, known);
  const largest = known ?? Math.max(otherwise, overridden.limit ?? 0);
  return { most: isStored ? limited : Math.max(limited, largest), choices: Math.max(choices, prompts * (overridden.choices ?? 1)) };
}

/** What a channel's override says goes beyond what its caller does; a limit that the caller has named stays (`keepLimits`). */
function outputOn({ dialect, upstreamModel, paramOverride }: ChannelRoute, requested: Requested): { choices: number; most: number } {
  if (paramOverride === null) return outputAs(requested, upstreamModel, {});
  const { model } = paramOverride;
  return outputAs(requested, typeof model === 'string' ? model : upstreamModel, {
    limit: dialect.limits.read(paramOverride),
    choices: dialect.choicesIn?.(paramOverride),
  });
}

/** A name may tell a model to think, which raises a limit that leaves no room for it; 0: none does. */
function raisedLimit(services: RelayServices, call: CallToReserve): number {
  const { settings } = services.context;
  return largestOnRoutes(services, call, ({ dialect, upstreamModel }) => dialect.leastLimit?.(call.body, upstreamModel, settings));
}
