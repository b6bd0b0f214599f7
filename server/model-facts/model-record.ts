// A model as the data file has it. Names of members are those of public catalogues of models, so that a newer catalogue can take the place of
// this one; `efforts` and what stands behind it here is added where catalogues have no word for it.
import { z } from 'zod';

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

/** US dollars per million tokens, by kind of token. */
const prices = z.record(z.string(), z.number());

export const ModelRecord = z.object({
  /** Missing: the record names an alias of its vendor's and nothing else. */
  mode: z.optional(z.string()),
  provider: z.string(),
  /** Tokens of the largest prompt, and of the largest response. */
  context: z.optional(z.number()),
  output: z.optional(z.number()),
  usd: z.optional(prices),
  /** US dollars per search, second, picture or character. */
  usdEach: z.optional(prices),
  tiers: z.optional(z.record(z.string(), prices)),
  /** Prices of prompts longer than `tokens`. */
  above: z.optional(z.intersection(z.object({ tokens: z.number() }), prices)),
  /** By region, speed or input; a text says how the input is charged. */
  factors: z.optional(z.record(z.string(), z.union([z.number(), z.string()]))),
  supports: z.optional(z.array(z.string())),
  /** Is answered with an error by the vendor. */
  refuses: z.optional(z.array(z.string())),
  endpoints: z.optional(z.array(z.string())),
  thinkingAlwaysOn: z.optional(z.boolean()),
  /** Shorter prompts are not cached. */
  cacheLeastTokens: z.optional(z.number()),
  /** Day on which the vendor switches it off. */
  deprecated: z.optional(z.string()),

  /** False: it does not think, whatever `supports` says. */
  thinking: z.optional(z.literal(false)),
  /** Efforts that it accepts, least first; empty: it thinks, and accepts no effort. Missing: by `supports` and `refuses`. */
  efforts: z.optional(z.array(z.enum(efforts))),
  /** Efforts that its vendor takes for another one; missing: the nearest below counts. */
  effortsAs: z.optional(z.partialRecord(z.enum(efforts), z.enum(efforts))),
  /** Missing: it thinks by default. */
  defaultEffort: z.optional(z.enum(efforts)),
  /** Range of its thinking budget in tokens. */
  budget: z.optional(z.object({ least: z.number(), most: z.optional(z.number()) })),
  /** `one`: `temperature` or `top_p`, not both. Missing: by `refuses`. */
  sampling: z.optional(z.enum(['taken', 'one'])),
  /** False: it takes no texts that end a response. */
  stop: z.optional(z.literal(false)),
  /** `responses`: chat completions refuse functions unless thinking is disabled. */
  toolsBy: z.optional(z.literal('responses')),
  /** Permitted retention times of cached prompts (`prompt_cache_retention`). Missing: it accepts none. */
  cacheRetention: z.optional(z.array(z.enum(['in_memory', '24h']))),
  encoding: z.optional(z.literal('o200k_base')),
  /** Calls of tools are signed, and come back with their signatures. */
  signsCalls: z.optional(z.literal(true)),
  /** `prompt`: search is billed by the grounded prompt. Missing: by the query. https://ai.google.dev/gemini-api/docs/google-search#pricing */
  searchesBy: z.optional(z.literal('prompt')),
  /** False: an address of a picture or a document is refused. Missing: it is taken where the format has one. */
  addresses: z.optional(z.literal(false)),
  /** Schemas are taken in JSON Schema's words. */
  jsonSchema: z.optional(z.literal(true)),
});
export type ModelRecord = z.infer<typeof ModelRecord>;

export const ModelFile = z.object({
  /** Day of the catalogue. */
  date: z.iso.date(),
  /** By the first word of their names: the model that an unknown newer one of its vendor is taken for. */
  heads: z.record(z.string(), z.string()),
  models: z.record(z.string(), ModelRecord),
});
