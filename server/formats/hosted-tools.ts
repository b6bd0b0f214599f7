// Hosted tools in requests: tools that run at the provider and are billed per run. Those without a price are dropped and reported; a
// forced one is rejected.
import { type HostedCalls, type HostedKind, hostedKinds, type HostedVariants } from '#shared/hosted-tools.ts';
import { AppError } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { isFilled } from './provider-objects.ts';
import type { CallInput } from './encode-input.ts';
import { type Losses, thisChannel, untranslatable } from './losses.ts';
import type { ChatRequest, HostedTool } from './parts.ts';

type Body = Readonly<Record<string, unknown>>;

/** One hosted tool in a body. */
export interface HostedPlace {
  kind: HostedKind;
  /** Path in the body, for errors: `tools.0`. */
  name: string;
  /** Maximum runs. If undefined, unlimited. */
  most?: number | undefined;
  /** Whether the model must use the tool. */
  isForced: boolean;
}

/** Access to the hosted tools in bodies of one format. Bodies are read loosely. */
export interface HostedAccess {
  find(body: Body): readonly HostedPlace[];
  /** Returns the body without those tools. */
  without(body: Body, names: ReadonlySet<string>): Body;
  /** Limits the runs of each tool; returns the same body if it already does. If undefined, the format has no limit. */
  bound?(body: Body, most: HostedCalls): Body;
  /** Runs that are billed even if the response reports none. */
  atLeast?(body: Body): HostedCalls | undefined;
  /** Returns the variants of tools with several prices, in a body or in a response that repeats it. If undefined, the default. */
  variants?(body: Body): HostedVariants;
  /** Tools that a model runs in every call, with their maximum. If undefined, none. */
  always?(model: string): readonly Pick<HostedPlace, 'kind' | 'most'>[];
  /** Variants in requests translated from other formats. */
  readonly writtenVariants?: HostedVariants;
  /** Whether a model's searches are billed by the queries in its usage. If undefined, no. */
  billsQueries?(model: string): boolean;
  /** Kinds whose runs are reported at the end of the response only. If undefined, runs are reported as they happen. */
  readonly reportedAtEnd?: readonly HostedKind[];
}

function isPaid({ hosted = {}, route }: CallInput, kind: HostedKind): boolean {
  return route.setting.allowsSurcharges === true || hosted[kind] !== undefined;
}

/** Filters a body of the provider's format. @throws {AppError} `untranslatable` for a forced tool */
export function paidBody(call: CallInput, body: Body, dropped: string[]): Body {
  const { route, isCount, hosted = {} } = call;
  const access = route.dialect.hosted;
  if (access === undefined || isCount === true) return body;
  const places = access.find(body);
  if (places.length === 0) return body;
  const unpaid = places.filter(({ kind }) => !isPaid(call, kind));
  const forced = unpaid.find((place) => place.isForced);
  if (forced !== undefined) throw new AppError('untranslatable', { field: forced.name, dialect: thisChannel }, { field: forced.name });
  dropped.push(...unpaid.map(({ name }) => name));
  const paid = unpaid.length === 0 ? body : access.without(body, new Set(unpaid.map(({ name }) => name)));
  return unpaid.length === places.length ? paid : (access.bound?.(paid, hosted) ?? paid);
}

/** Filters a request for another format. @throws {AppError} `untranslatable` for a forced tool */
export function paidRequest(call: CallInput, request: ChatRequest, dropped: string[]): ChatRequest {
  const { hostedTools: tools = [], toolChoice: choice } = request;
  if (tools.length === 0) return request;
  const has = call.route.provider.hosted ?? [];
  const unpaid = tools.filter(({ kind }) => !has.includes(kind) || !isPaid(call, kind));
  const isUnpaid = (kind: HostedKind) => unpaid.some((tool) => tool.kind === kind);
  const isForced =
    choice?.kind === 'hosted'
      ? isUnpaid(choice.hosted)
      : choice?.kind === 'required' && request.tools.length === 0 && unpaid.length === tools.length;
  const needed = unpaid.find(({ isNeeded }) => isNeeded === true);
  if (needed !== undefined) throw untranslatable(needed.field, thisChannel);
  if (isForced) throw untranslatable(choice?.kind === 'hosted' ? choice.field : 'tool_choice', thisChannel);
  dropped.push(...unpaid.map(({ field }) => field));
  const isLeftOut = new Set(unpaid);
  const hostedTools = tools
    .filter((tool) => !isLeftOut.has(tool))
    .map((tool) => {
      const most = call.hosted?.[tool.kind];
      return tool.options.mostCalls !== undefined || most === undefined ? tool : { ...tool, options: { ...tool.options, mostCalls: most } };
    });
  return { ...request, hostedTools };
}

interface HostedWriting {
  losses: Losses;
  title: string;
  /** Name of the format, whose tools are written unchanged. If undefined, `write` receives them too. */
  origin?: string;
  /** Returns null if the format has no such tool. */
  write(tool: HostedTool): Record<string, unknown> | null;
}

/** Writes the tools that a format supports; others are dropped and reported. @throws {AppError} `untranslatable` for a forced tool */
export function writeHostedTools(
  { hostedTools = [], toolChoice, tools }: ChatRequest,
  { losses, title, origin, write }: HostedWriting,
): Record<string, unknown>[] {
  const written: Record<string, unknown>[] = [];
  const lost: HostedTool[] = [];
  for (const tool of hostedTools) {
    const one = tool.kind === 'other' ? null : tool.origin === origin ? { ...tool.object } : write(tool);
    if (one === null) lost.push(tool);
    else written.push(one);
  }
  const needed = lost.find(({ isNeeded, kind }) => isNeeded === true || (toolChoice?.kind === 'hosted' && toolChoice.hosted === kind));
  if (needed !== undefined) throw untranslatable(toolChoice?.kind === 'hosted' ? toolChoice.field : needed.field, title);
  if (toolChoice?.kind === 'required' && tools.length + written.length === 0 && lost.length > 0) throw untranslatable('tool_choice', title);
  for (const { field } of lost) losses.dropNamed(field);
  return written;
}

/** Returns the runs to bill if the response breaks off: one of each kind that only its end would report. */
export function hostedIfCut(access: HostedAccess | undefined, body: Body): HostedCalls | undefined {
  const { reportedAtEnd = [] } = access ?? {};
  if (access === undefined || reportedAtEnd.length === 0) return undefined;
  const kinds = new Set(access.find(body).map(({ kind }) => kind));
  const runs = reportedAtEnd.filter((kind) => kinds.has(kind)).map((kind) => [kind, 1] as const);
  return runs.length === 0 ? undefined : Object.fromEntries(runs);
}

/**
 * Finds the hosted tools in a list of tools.
 * @param kindOf returns null for a tool that the caller runs
 */
export function placesInTools(
  tools: unknown,
  { path = 'tools', kindOf, isForced }: { path?: string; kindOf(tool: Body): HostedKind | null; isForced(tool: Body): boolean },
): HostedPlace[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool: unknown, index): HostedPlace[] => {
    const kind = isObject(tool) ? kindOf(tool) : null;
    if (kind === null || !isObject(tool)) return [];
    const most = typeof tool.max_uses === 'number' ? tool.max_uses : undefined;
    return [{ kind, name: `${path}.${index}`, most, isForced: isForced(tool) || namesStores(tool) }];
  });
}

/** Reports whether a tool searches named stores. They are billed by the day, and a response without the search would be wrong. */
export function namesStores({ vector_store_ids: ids, file_search: inner }: Body): boolean {
  return isFilled(ids) || (isObject(inner) && isFilled(inner.vector_store_ids));
}

export function searchesStores({ tools }: Body): boolean {
  return Array.isArray(tools) && tools.some((tool) => isObject(tool) && namesStores(tool));
}

/** Removes the named tools, and a tool choice that providers reject without tools. */
export function withoutTools(body: Body, names: ReadonlySet<string>): Body {
  if (!Array.isArray(body['tools'])) return body;
  const tools = body['tools'].filter((_tool, index) => !names.has(`tools.${index}`));
  if (tools.length === body['tools'].length) return body;
  if (tools.length > 0) return { ...body, tools };
  const { tools: _tools, tool_choice: _choice, ...rest } = body;
  return rest;
}

/** Returns the larger number of each kind. */
export function mostOf(one: HostedCalls | undefined, other: HostedCalls | undefined): HostedCalls | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const sum: Partial<Record<HostedKind, number>> = { ...one };
  for (const [kind, calls] of entriesOf(other)) sum[kind] = Math.max(sum[kind] ?? 0, calls);
  return sum;
}

export function entriesOf(calls: HostedCalls): [HostedKind, number][] {
  return hostedKinds.flatMap((kind): [HostedKind, number][] => (calls[kind] === undefined ? [] : [[kind, calls[kind]]]));
}
