// The rows of the table: each type with each capability that the facts or the provider's record name, without those that are known to be
// missing.
import { callKinds } from '#server/kinds/registry.ts';
import { providerOf, providers } from '#server/providers/registry.ts';
import { capabilitiesOf, providerTypes } from './facts.ts';

export interface Row {
  type: number;
  name: string;
  /** A kind of call, `tasks`, `videos`, `balance`, `models`. */
  capability: string;
}

/** What is not there yet, with the word that the README names it by. What lands leaves this list: it fails the table otherwise. */
export const missingTypes: Readonly<Record<number, string>> = {};

/** The same of single capabilities. */
export const missing: Readonly<Record<number, Readonly<Record<string, string>>>> = {};

/** What the facts name and no vendor has, or has no more. */
export const untrue: Readonly<Record<number, readonly string[]>> = {
  // Proxies of drawings serve nothing else.
  2: ['chat', 'completions', 'embeddings', 'images', 'speech', 'rerank', 'moderations'],
  5: ['chat', 'completions', 'embeddings', 'images', 'speech', 'rerank', 'moderations'],
  // The paths that the facts have answer 404. https://learn.microsoft.com/azure/ai-services/openai/reference
  3: ['rerank', 'moderations'],
  // One address, whose words are those of conversations.
  8: ['completions'],
  // Models with paths of their own: completion models are called as chat.
  39: ['completions'],
  // Other gateways, reached as OpenAI or Custom.
  58: [],
  59: [],
  60: [],
};

const allRows: readonly Row[] = providerTypes.flatMap((one) => {
  const named = capabilitiesOf(one).filter((capability) => untrue[one.id]?.includes(capability) !== true);
  const known = new Set([...named, ...claimedBy(one.id)]);
  return [...known].map((capability) => ({ type: one.id, name: one.name, capability }));
});

function isMissing({ type, capability }: Row): boolean {
  return type in missingTypes || missing[type]?.[capability] !== undefined;
}

export const rows: readonly Row[] = allRows.filter((row) => !isMissing(row));

/** What the record says. */
export function claimedBy(type: number): string[] {
  const provider = providerOf(type);
  if (provider === undefined) return [];
  const { formats, tasks, videos, account, balance, modelList } = provider;
  const kinds = Object.values(callKinds).filter(({ name }) => Object.values(formats).some(({ paths }) => paths[name] !== undefined));
  return [
    ...kinds.map(({ name }) => name),
    ...(tasks === undefined ? [] : ['tasks']),
    // Other forms have a table of their own, which misses none either: `videos.test.ts`.
    ...(videos === 'sora' ? ['videos'] : []),
    // Those of the forms' own vendors have files of their own: `relay/batches.test.ts`, `relay/message-batches.test.ts`, `relay/gemini-batches.test.ts`.
    ...(account === undefined || provider.runsBatches === 'gemini' ? [] : ['batches']),
    ...(balance === undefined ? [] : ['balance']),
    ...(modelList === undefined ? [] : ['models']),
  ];
}

/** Types that have a record and are in no list of facts. */
export const unknownTypes: readonly number[] = providers
  .map(({ type }) => type)
  .filter((type) => !providerTypes.some(({ id }) => id === type));
