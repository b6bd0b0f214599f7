// Tools that run at a provider, which bills them beside the tokens: what they are for, whatever a vendor calls them.

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

export function isHostedKind(name: string): name is HostedKind {
  return (hostedKinds as readonly string[]).includes(name);
}
