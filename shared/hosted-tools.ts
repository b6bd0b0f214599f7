// Tools that run at a provider, which bills them in addition to the tokens, by their purpose instead of a vendor's name.

export const hostedKinds = [
  'web_search',
  'web_fetch',
  'code_execution',
  'file_search',
  'image_generation',
  'maps',
  'mcp',
  'tool_search',
  'other',
] as const;
export type HostedKind = (typeof hostedKinds)[number];

/** How often each of them ran in a call; whole numbers from 1 up. */
export type HostedCalls = Readonly<Partial<Record<HostedKind, number>>>;

/**
 * Kinds of web search that vendors bill differently from the usual one: OpenAI's earlier tool; Perplexity's larger contexts, and its search in
 * several steps.
 */
const searchVariants = ['preview', 'medium', 'high', 'pro', 'pro_medium', 'pro_high'] as const;
export type HostedVariant = (typeof searchVariants)[number];

/** Requested variants of tools that have several prices; missing: the usual one. */
export type HostedVariants = Readonly<Partial<Record<HostedKind, readonly HostedVariant[]>>>;

/** What a price is set for: a kind, or one of its variants. */
export type PricedTool = HostedKind | `web_search_${HostedVariant}`;

/** How often each of them ran. */
export type PricedRuns = Readonly<Partial<Record<PricedTool, number>>>;

const variantNames: readonly PricedTool[] = searchVariants.map((variant): PricedTool => `web_search_${variant}`);
const known: ReadonlySet<string> = new Set([...hostedKinds, ...variantNames]);

/** In the order of receipts: each kind, then its variants. */
export const pricedTools: readonly PricedTool[] = hostedKinds.flatMap((kind) => (kind === 'web_search' ? [kind, ...variantNames] : [kind]));

export function isPricedTool(name: string): name is PricedTool {
  return known.has(name);
}

export function kindOfPriced(name: PricedTool): HostedKind {
  return hostedKinds.find((kind) => kind === name) ?? 'web_search';
}

/** Merges two sets of variants. */
export function bothVariants(one: HostedVariants, other: HostedVariants | undefined): HostedVariants {
  const { web_search: search = [] } = other ?? {};
  return search.length === 0 ? one : { web_search: [...new Set([...(one.web_search ?? []), ...search])] };
}
