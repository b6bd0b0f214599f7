// Where a request asks for tools that run at the provider, whose runs are billed beside the tokens. Those that nobody pays for are left
// out and named; one that has to be used is refused.
import { hostedKinds } from '#shared/hosted-tools.ts';
import type { HostedCalls, HostedKind, HostedVariants } from '#shared/hosted-tools.ts';
import { AppError } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { isFilled } from './provider-objects.ts';
import type { CallInput } from './encode-input.ts';
import { thisChannel, untranslatable } from './losses.ts';
import type { Losses } from './losses.ts';
import type { ChatRequest, HostedTool } from './parts.ts';

type Body = Readonly<Record<string, unknown>>;

/** A place in a body that asks for such a tool. */
export interface HostedPlace {
  kind: HostedKind;
  /** As its caller reads it: `tools.0`. */
  name: string;
  /** How often its caller lets it run; missing: as often as it likes. */
  most?: number | undefined;
  /** It has to be used. */
  isForced: boolean;
}

/** How bodies of one format ask for such tools. Read loosely. */
export interface HostedAccess {
  find(body: Body): readonly HostedPlace[];
  /** The body without those places. */
  without(body: Body, names: ReadonlySet<string>): Body;
  /** Tells the provider how often each of them may run; missing: the format cannot. The same body where it says so. */
  bound?(body: Body, most: HostedCalls): Body;
  /** Runs that are billed whatever the response tells of them. */
  atLeast?(body: Body): HostedCalls | undefined;
  /** How a body, or the response that repeats what it asked for, asks for those that have several prices; missing: always as usual. */
  variants?(body: Body): HostedVariants;
  /** Those that a model runs in each of its calls, asked for or not, and how often at the most; missing: none does. */
  always?(model: string): readonly Pick<HostedPlace, 'kind' | 'most'>[];
  /** How requests of other formats come to ask for them. */
  readonly writtenVariants?: HostedVariants;
  /** Whether a model's searches are billed by the query, as its usage tells them; missing: none is. */
  billsQueries?(model: string): boolean;
  /** Those of which a response tells only with its end whether they ran; missing: none, runs are told as they happen. */
  readonly reportedAtEnd?: readonly HostedKind[];
}

function isPaid({ hosted = {}, route }: CallInput, kind: HostedKind): boolean {
  return route.setting.allowsSurcharges === true || hosted[kind] !== undefined;
}

/** Of a body in the provider's own format. @throws {AppError} `untranslatable` for one that has to be used */
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

/** The same of a request that is going to another format. @throws {AppError} `untranslatable` for one that has to be used */
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

/**
 * The tools of a request as a format has them; those that it has not are left out and named.
 * @throws {AppError} `untranslatable` for one that has to be used
 */
export function writeHostedTools<Written>(
  { hostedTools = [], toolChoice, tools }: ChatRequest,
  { losses, title, write }: { losses: Losses; title: string; write(tool: HostedTool): Written | null },
): Written[] {
  const written: Written[] = [];
  const lost: HostedTool[] = [];
  for (const tool of hostedTools) {
    const one = tool.kind === 'other' ? null : write(tool);
    if (one === null) lost.push(tool);
    else written.push(one);
  }
  const needed = lost.find(({ isNeeded, kind }) => isNeeded === true || (toolChoice?.kind === 'hosted' && toolChoice.hosted === kind));
  if (needed !== undefined) throw untranslatable(toolChoice?.kind === 'hosted' ? toolChoice.field : needed.field, title);
  if (toolChoice?.kind === 'required' && tools.length + written.length === 0 && lost.length > 0) throw untranslatable('tool_choice', title);
  for (const { field } of lost) losses.dropNamed(field);
  return written;
}

/** What is taken to have run where the end of the response never came that would tell it: each of these kinds once. */
export function hostedIfCut(access: HostedAccess | undefined, body: Body): HostedCalls | undefined {
  const { reportedAtEnd = [] } = access ?? {};
  if (access === undefined || reportedAtEnd.length === 0) return undefined;
  const kinds = new Set(access.find(body).map(({ kind }) => kind));
  const runs = reportedAtEnd.filter((kind) => kinds.has(kind)).map((kind) => [kind, 1] as const);
  return runs.length === 0 ? undefined : Object.fromEntries(runs);
}

/** Places in a body's list of tools. @param kindOf null: it runs at the caller */
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

/** It searches in stores that it names, whose days are paid: a response that nobody has searched for would be a wrong one. */
export function namesStores({ vector_store_ids: ids, file_search: inner }: Body): boolean {
  return isFilled(ids) || (isObject(inner) && isFilled(inner.vector_store_ids));
}

/** Whether one of its tools does. */
export function searchesStores({ tools }: Body): boolean {
  return Array.isArray(tools) && tools.some((tool) => isObject(tool) && namesStores(tool));
}

/** Without those of its tools; a choice among none is refused by providers. */
export function withoutTools(body: Body, names: ReadonlySet<string>): Body {
  if (!Array.isArray(body['tools'])) return body;
  const tools = body['tools'].filter((_tool, index) => !names.has(`tools.${index}`));
  if (tools.length === body['tools'].length) return body;
  if (tools.length > 0) return { ...body, tools };
  const { tools: _tools, tool_choice: _choice, ...rest } = body;
  return rest;
}

/** The larger number of each kind. */
export function mostOf(one: HostedCalls | undefined, other: HostedCalls | undefined): HostedCalls | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const sum: Partial<Record<HostedKind, number>> = { ...one };
  for (const [kind, calls] of entriesOf(other)) sum[kind] = Math.max(sum[kind] ?? 0, calls);
  return sum;
}

export function entriesOf(calls: HostedCalls): [HostedKind, number][] {
  return hostedKinds.flatMap((kind): [HostedKind, number][] => (calls[kind] === undefined ? [] : [[kind, calls[kind]]]));
}
