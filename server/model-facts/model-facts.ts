// What a model is, takes and refuses, read out of its record.
import { type Effort, efforts, type ModelRecord } from './model-record.ts';

export type ModelVendor = 'openai' | 'anthropic' | 'google' | 'xai' | 'deepseek' | 'other';

export interface Thinking {
  /** Efforts that it takes, least first; empty: it takes none. Undefined: efforts are not known of it. */
  readonly efforts: readonly Effort[] | undefined;
  /** Efforts that its vendor takes for another one. */
  readonly effortsAs: Readonly<Partial<Record<Effort, Effort>>>;
  /** Thinks as it sees fit, by an effort alone. */
  readonly isAdaptive: boolean;
  /** Thinking cannot be disabled. */
  readonly isAlwaysOn: boolean;
  /** Thinking is off by default. */
  readonly isOffByDefault: boolean;
  /** Range of its thinking budget in tokens; undefined: it accepts none. */
  readonly budget: { readonly least: number; readonly most: number } | undefined;
}

/** `one`: `temperature` or `top_p`, not both. `idle`: while the model does not think. */
export type Sampling = 'taken' | 'one' | 'idle' | 'refused';

export interface ModelFacts {
  /** The name of its record. */
  readonly id: string;
  readonly vendor: ModelVendor;
  /** Who makes it, as catalogues call them. */
  readonly owner: string;
  /** Holds conversations. */
  readonly isChat: boolean;
  /** Tokens of the largest prompt, and of the largest response; null: not known, or there is no limit but the window. */
  readonly context: number | null;
  readonly output: number | null;
  /** Null: it does not think. */
  readonly thinking: Thinking | null;
  readonly sampling: Sampling;
  readonly takesStop: boolean;
  /** A choice of tools may demand a call. */
  readonly takesForcedTools: boolean;
  /** A conversation may end with the beginning of the response. */
  readonly takesPrefill: boolean;
  /** Chat completions have no place for it. */
  readonly isResponsesOnly: boolean;
  /** Chat completions refuse functions unless thinking is disabled. */
  readonly isToolsByResponses: boolean;
  readonly seesPictures: boolean;
  readonly signsCalls: boolean;
  readonly takesJsonSchema: boolean;
  /** Search is billed by the grounded prompt, however many queries it makes. */
  readonly isSearchedByPrompt: boolean;
  /** Downloads pictures and documents from addresses. */
  readonly takesAddresses: boolean;
  /** Shorter prompts are not cached; null: not known. */
  readonly cacheLeastTokens: number | null;
  /** Permitted retention times of cached prompts, in OpenAI's terms; empty: it accepts none. */
  readonly cacheRetentions: readonly string[];
  readonly encoding: 'o200k_base' | 'cl100k_base';
  readonly record: ModelRecord;
}

const vendors: Readonly<Record<string, ModelVendor>> = {
  openai: 'openai',
  'text-completion-openai': 'openai',
  anthropic: 'anthropic',
  bedrock: 'anthropic',
  gemini: 'google',
  'vertex_ai-language-models': 'google',
  'vertex_ai-embedding-models': 'google',
  xai: 'xai',
  deepseek: 'deepseek',
};

export function readFacts(id: string, record: ModelRecord): ModelFacts {
  const { mode, provider, supports = [], refuses = [], endpoints = [] } = record;
  const vendor = vendors[provider] ?? 'other';
  const isChat = mode === undefined || mode === 'chat' || mode === 'responses';
  const thinking = readThinking(record, vendor);
  return {
    id,
    vendor,
    owner: provider,
    isChat,
    context: record.context ?? null,
    output: outputOf(record),
    thinking,
    sampling: record.sampling ?? samplingOf(refuses, vendor, thinking),
    takesStop: record.stop !== false,
    takesForcedTools: !refuses.includes('forced_tool_use'),
    takesPrefill: !refuses.includes('assistant_prefill'),
    isResponsesOnly: mode === 'responses' || (isChat && endpoints.includes('/v1/responses') && !endpoints.includes('/v1/chat/completions')),
    isToolsByResponses: record.toolsBy === 'responses',
    seesPictures: supports.includes('vision'),
    signsCalls: record.signsCalls === true,
    takesJsonSchema: record.jsonSchema === true,
    isSearchedByPrompt: record.searchesBy === 'prompt',
    takesAddresses: record.addresses !== false,
    cacheLeastTokens: record.cacheLeastTokens ?? null,
    cacheRetentions: record.cacheRetention ?? [],
    encoding: record.encoding ?? 'cl100k_base',
    record,
  };
}

/** A vendor without a limit of its own is listed with the window, which a prompt takes its part of. */
function outputOf({ output, context }: ModelRecord): number | null {
  return output === undefined || (context !== undefined && output >= context) ? null : output;
}

function samplingOf(refuses: readonly string[], vendor: ModelVendor, thinking: Thinking | null): Sampling {
  if (refuses.includes('sampling_params')) return 'refused';
  return vendor === 'openai' && thinking !== null ? 'idle' : 'taken';
}

function readThinking(record: ModelRecord, vendor: ModelVendor): Thinking | null {
  const { supports = [], budget, thinkingAlwaysOn } = record;
  const known = record.efforts ?? effortsBy(record, vendor);
  if (record.thinking === false || (!supports.includes('reasoning') && record.efforts === undefined && budget === undefined)) return null;
  return {
    efforts: known,
    effortsAs: record.effortsAs ?? {},
    isAdaptive: supports.includes('adaptive_thinking'),
    isAlwaysOn: thinkingAlwaysOn === true,
    isOffByDefault: record.defaultEffort === 'none',
    budget: budget === undefined ? undefined : { least: budget.least, most: budget.most ?? Infinity },
  };
}

const usual: ReadonlySet<Effort> = new Set(['low', 'medium', 'high']);

/** For a vendor whose thinking models all accept an effort; catalogues list those that not all of them accept. */
function effortsBy({ supports = [], refuses = [] }: ModelRecord, vendor: ModelVendor): readonly Effort[] | undefined {
  if (vendor !== 'openai') return undefined;
  return efforts.filter((one) =>
    usual.has(one) ? !refuses.includes(`${one}_reasoning_effort`) : supports.includes(`${one}_reasoning_effort`),
  );
}
