// Determines the hosted tools that a call reserves for.
import { bothVariants, type HostedCalls, type HostedKind, type HostedVariants, type PricedRuns } from '#shared/hosted-tools.ts';
import { isPriced, pricedRuns } from '#shared/tool-prices.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import { type AdmittedRequest, possibleRoutes } from '#server/call/admission/possible-routes.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';

interface PaidTools {
  /** Maximum runs of hosted tools with a price. */
  hosted?: HostedCalls;
  /** Same runs, by the kind that they are charged as. */
  runs?: PricedRuns;
}

export interface ReservedTools extends PaidTools {
  /** Tools among these that run in every call. If undefined, none. */
  always?: PaidTools;
}

type RequestedTool = readonly [kind: HostedKind, most: number];
type CallToReserve = AdmittedRequest & { body: RelayBody; quoted: QuotedPrice };

/**
 * Returns undefined if no tool with a price can run.
 * @param hosted requested tools with their maximum runs, 0 if unlimited
 * @param isWritten whether a model writes the response
 */
export function reservedTools(
  services: RelayServices,
  call: CallToReserve,
  { hosted, isWritten }: { hosted: ReadonlyMap<HostedKind, number> | null; isWritten: boolean },
): ReservedTools | undefined {
  const { tools } = call.quoted;
  if (tools === undefined) return undefined;
  const always = isWritten ? alwaysRun(services, call) : noTools;
  if (hosted === null && always.length === 0) return undefined;
  const variants = variantsOf(services, call);
  const paid = (requested: readonly RequestedTool[]): PaidTools => {
    const calls: Partial<Record<HostedKind, number>> = {};
    for (const [kind, most] of requested) if (isPriced(kind, tools, variants)) calls[kind] = Math.max(calls[kind] ?? 0, most);
    return { hosted: calls, runs: pricedRuns(calls, tools, variants) };
  };
  const usual = services.context.settings.get('ToolCallsPerRequest');
  const said = [...(hosted ?? [])].map(([kind, most]): RequestedTool => [kind, most === 0 ? usual : most]);
  // The override of a channel may replace the caller's tools, so the larger number counts.
  const all = paid([...always, ...said]);
  return always.length === 0 ? all : { ...all, always: paid(always) };
}

const noTools: readonly RequestedTool[] = [];

/** Removes the tools that may be removed: all but those that run in every call. */
export function withoutTools<Prompt extends ReservedTools>(prompt: Prompt): Omit<Prompt, keyof PaidTools> & PaidTools {
  if (prompt.hosted === undefined && prompt.runs === undefined) return prompt;
  const { hosted: _hosted, runs: _runs, ...rest } = prompt;
  return { ...rest, ...prompt.always };
}

/** Tools that run in every call, by routes, which are new objects when a setting changes. */
const knownToRun = new WeakMap<readonly ChannelRoute[], readonly RequestedTool[]>();

/** Returns tools that the models of the channels run in each call, or that channels' overrides request. */
function alwaysRun(services: RelayServices, call: CallToReserve): readonly RequestedTool[] {
  const routes = call.routes ?? possibleRoutes(services, call);
  let known = knownToRun.get(routes);
  if (known === undefined) knownToRun.set(routes, (known = alwaysRunOn(routes, services.context.settings.get('ToolCallsPerRequest'))));
  return known;
}

/** @param usual assumed runs of a tool without a known maximum */
function alwaysRunOn(routes: readonly ChannelRoute[], usual: number): RequestedTool[] {
  const found: RequestedTool[] = [];
  for (const { dialect, upstreamModel, paramOverride } of routes) {
    const { hosted: access } = dialect;
    if (access === undefined) continue;
    const model = paramOverride?.['model'];
    for (const { kind, most = usual } of access.always?.(typeof model === 'string' ? model : upstreamModel) ?? []) found.push([kind, most]);
    if (paramOverride === null) continue;
    // If a format's responses report no runs, one is billed at most.
    const mostOfOverride = access.atLeast === undefined ? usual : 1;
    for (const { kind, most = mostOfOverride } of access.find(paramOverride)) found.push([kind, most]);
  }
  return found;
}

/** Returns the variants of tools on all possible channels. */
function variantsOf(services: RelayServices, call: CallToReserve): HostedVariants {
  let variants: HostedVariants = {};
  // Routes that are alike are examined once, because a prompt may be long and channels many.
  const seen = new Set<string>();
  for (const { dialect, identity, upstreamModel, paramOverride } of possibleRoutes(services, call)) {
    const { hosted: access } = dialect;
    const alike = JSON.stringify([dialect.name, identity === null, upstreamModel, paramOverride]);
    if (seen.has(alike)) continue;
    seen.add(alike);
    if (identity === null) variants = bothVariants(variants, access?.writtenVariants);
    const own = identity === null ? {} : call.body;
    const requested = access?.variants?.({ ...own, model: upstreamModel, ...paramOverride });
    variants = bothVariants(variants, requested);
  }
  return variants;
}
