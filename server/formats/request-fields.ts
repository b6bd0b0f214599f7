// Shared vocabulary of request fields other than messages. Client formats list the fields they have, upstream formats those
// they carry; the difference is lost (`translation-table.ts`).

interface Meaning {
  /** Short description. */
  about: string;
  /** Whether the response would be wrong without the field, so that a call is rejected. If false, the field is dropped and reported. */
  isEssential: boolean;
}

export const requestFields = {
  // Fields held by the parts and by `ChatRequest`.
  media: { isEssential: true, about: 'images, audio and files' },
  stop: { isEssential: true, about: 'stop sequences' },
  token_limit: {
    isEssential: false,
    about: 'maximum output tokens: the model decides, and its longest response is reserved',
  },
  json_without_schema: { isEssential: false, about: 'JSON mode without a schema' },
  effort: { isEssential: false, about: 'thinking effort' },
  thinking_budget: { isEssential: false, about: 'thinking budget' },
  temperature: { isEssential: false, about: 'sampling' },
  top_p: { isEssential: false, about: 'sampling' },
  top_k: { isEssential: false, about: 'sampling' },
  thoughts: { isEssential: false, about: 'thinking of earlier turns' },
  unsigned_thoughts: { isEssential: false, about: 'thinking without a signature' },
  foreign_thoughts: { isEssential: false, about: "thinking that only another vendor's models can read" },
  image_detail: { isEssential: false, about: 'image resolution' },
  media_details: { isEssential: false, about: 'section and resolution of a video' },
  citations: { isEssential: false, about: 'citations of documents and search results' },
  safeguards: { isEssential: false, about: "the provider's safety checks of tool calls" },
  names: { isEssential: false, about: 'participant names' },
  forced_tool: { isEssential: false, about: 'forced tool choice' },
  single_calls: { isEssential: false, about: 'no parallel tool calls' },
  tool_errors: { isEssential: false, about: 'error flag of a tool result' },
  cache_hints: { isEssential: false, about: 'prompt caching' },

  // Responses.
  choices: { isEssential: true, about: 'several choices' },
  best_of: { isEssential: true, about: 'best of several choices' },
  suffix: { isEssential: true, about: 'text after the completion (infill)' },
  logprobs: { isEssential: true, about: 'log probabilities' },
  top_logprobs: { isEssential: true, about: 'log probabilities' },
  voice: { isEssential: true, about: 'audio output' },
  modalities: { isEssential: true, about: 'output modalities other than text' },
  enum_response: { isEssential: true, about: 'enum values as the response' },
  verbosity: { isEssential: false, about: 'length of the response' },
  prediction: { isEssential: false, about: 'predicted output' },
  phase: { isEssential: false, about: 'commentary or final answer' },

  // Sampling.
  seed: { isEssential: false, about: 'deterministic sampling' },
  frequency_penalty: { isEssential: false, about: 'sampling' },
  presence_penalty: { isEssential: false, about: 'sampling' },
  logit_bias: { isEssential: false, about: 'sampling' },

  // Hosted tools.
  search: { isEssential: true, about: 'web search by the provider' },
  offered_provider_tools: { isEssential: false, about: 'hosted tools that the model may use, such as web search' },
  forced_provider_tool: { isEssential: true, about: 'hosted tool that the model must use' },
  taught_tools: { isEssential: true, about: 'vendor-defined tools that the caller runs, such as a shell' },
  provider_tool_results: { isEssential: false, about: 'calls and results of hosted tools' },
  mcp_servers: { isEssential: true, about: 'remote tool servers' },
  container: { isEssential: true, about: 'containers, files and skills at the provider' },
  compacted: { isEssential: true, about: 'compaction by the provider' },
  truncation: { isEssential: false, about: 'truncation or editing of the prompt by the provider' },
  image_compression: { isEssential: false, about: 'truncation or editing of the prompt by the provider' },
  provider_tool_limit: { isEssential: false, about: 'maximum runs of hosted tools' },
  provider_outputs: { isEssential: false, about: 'additional output of hosted tools' },
  context_management: { isEssential: false, about: 'truncation or editing of the prompt by the provider' },

  // Account and state at the provider.
  user_id: { isEssential: false, about: 'end user id' },
  region: { isEssential: true, about: 'processing region' },
  service_tier: { isEssential: false, about: "the provider's service tiers" },
  google_tier: { isEssential: false, about: "Google's service tiers" },
  speed: { isEssential: false, about: "the provider's service tiers" },
  store: { isEssential: false, about: 'storage at the provider' },
  metadata: { isEssential: false, about: 'storage at the provider' },
  client_metadata: { isEssential: false, about: 'client metadata for the provider' },
  safety_settings: { isEssential: false, about: "thresholds of the provider's safety filters" },
  moderation: { isEssential: false, about: "the provider's abuse detection" },
  attribution: { isEssential: false, about: 'client metadata for the provider' },
  access_programs: { isEssential: false, about: 'account settings at the provider' },
  abuse_id: { isEssential: false, about: "the provider's abuse detection" },
  cached_content: { isEssential: true, about: 'cached prompt content at the provider' },
  automatic_cache: { isEssential: false, about: 'prompt caching' },
  cache_key: { isEssential: false, about: 'prompt caching' },
  cache_options: { isEssential: false, about: 'prompt caching' },
  cache_retention: { isEssential: false, about: 'prompt caching' },
  diagnostics: { isEssential: false, about: "the provider's diagnostics" },
  user_profile: { isEssential: false, about: 'account settings at the provider' },
  workspace: { isEssential: false, about: 'account settings at the provider' },
} as const satisfies Record<string, Meaning>;

export type RequestField = keyof typeof requestFields;

/** A request field in a client's format. */
export interface ClientField {
  /** Name in errors and in `x-tidegate-dropped`. */
  name: string;
  /** Values that mean the same as an absent field. */
  neutral?: readonly unknown[];
  /** Whether an empty object requests the field too. */
  isSetByEmpty?: true;
  /** Whether the gateway implements the field, so that providers need not support it. */
  isDoneHere?: true;
  /** Request fields that demonstrate it. */
  example: Readonly<Record<string, unknown>>;
}

export type ClientFields = Readonly<Partial<Record<RequestField, ClientField>>>;

/** Loss of a field that a format carries only partly. */
export interface PartialLoss {
  treatment: 'refused' | 'dropped';
  /** Short description of the loss. */
  about: string;
  /** Upstream model that the loss concerns; others may support the field. */
  model?: string;
}

/**
 * How an upstream format carries a field: `by_parts`, possibly with a loss; `in_words`, as a text of the conversation; or as
 * body fields that the function makes from the client's value.
 */
export type Carried = 'by_parts' | 'in_words' | PartialLoss | ((value: unknown) => Readonly<Record<string, unknown>>);

export type CarriedFields = Readonly<Partial<Record<RequestField, Carried>>>;

/** A field of a client's body that the parts cannot hold. */
export interface ExtraField {
  /** Field of the shared vocabulary; null if unknown. */
  field: RequestField | null;
  /** Name in the client's format. */
  name: string;
  value: unknown;
}

/** Returns the fields of a format by their name in its bodies. */
export function fieldsByName(fields: ClientFields): ReadonlyMap<string, { field: RequestField; neutral: readonly unknown[] }> {
  const byName = new Map<string, { field: RequestField; neutral: readonly unknown[] }>();
  for (const [field, { name, neutral = [] }] of Object.entries(fields)) {
    // A name may have different meanings at the top level and below; the top level comes first.
    if (isRequestField(field) && !byName.has(name)) byName.set(name, { field, neutral });
  }
  return byName;
}

export function isRequestField(name: string): name is RequestField {
  return Object.hasOwn(requestFields, name);
}
