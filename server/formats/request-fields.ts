// Shared vocabulary of request fields other than messages. Client formats state their names, upstream formats what they carry; the
// difference is lost (`translation-table.ts`).

interface Meaning {
  /** Short description. */
  about: string;
  /** The response would be wrong without the field: if unsupported, the call is rejected. If false, the field is dropped and reported. */
  isEssential: boolean;
}

export const requestFields = {
  // Fields held by the parts and by `ChatRequest`.
  media: { isEssential: true, about: 'images, audio and files' },
  stop: { isEssential: true, about: 'texts that end the response' },
  token_limit: {
    isEssential: false,
    about: 'how many tokens the response may have: the model decides, and its largest response is reserved for',
  },
  json_without_schema: { isEssential: false, about: 'JSON of any shape' },
  effort: { isEssential: false, about: 'how much the model thinks' },
  thinking_budget: { isEssential: false, about: 'tokens that the model may think' },
  temperature: { isEssential: false, about: 'sampling' },
  top_p: { isEssential: false, about: 'sampling' },
  top_k: { isEssential: false, about: 'sampling' },
  thoughts: { isEssential: false, about: 'thoughts of earlier turns' },
  unsigned_thoughts: { isEssential: false, about: 'thoughts without a signature' },
  foreign_thoughts: { isEssential: false, about: 'thoughts that only the models of another vendor can read' },
  image_detail: { isEssential: false, about: 'size of images' },
  media_details: { isEssential: false, about: 'which part of a video, and how closely it is looked at' },
  citations: { isEssential: false, about: 'which places of documents and search results the response rests on' },
  safeguards: { isEssential: false, about: "the provider's checks of what tools do" },
  names: { isEssential: false, about: 'names of people' },
  forced_tool: { isEssential: false, about: 'that a tool is called, or which one' },
  single_calls: { isEssential: false, about: 'one call of a tool at a time' },
  tool_errors: { isEssential: false, about: 'failure of a tool, beyond what its result says' },
  cache_hints: { isEssential: false, about: "the provider's cache" },

  // Responses.
  choices: { isEssential: true, about: 'several responses' },
  best_of: { isEssential: true, about: 'the best of several responses' },
  suffix: { isEssential: true, about: 'what stands behind the completion' },
  logprobs: { isEssential: true, about: 'probabilities of tokens' },
  top_logprobs: { isEssential: true, about: 'probabilities of tokens' },
  voice: { isEssential: true, about: 'spoken responses' },
  modalities: { isEssential: true, about: 'responses other than text' },
  enum_response: { isEssential: true, about: 'one bare word of a list as the response' },
  verbosity: { isEssential: false, about: 'length of the response' },
  prediction: { isEssential: false, about: 'speed' },
  phase: { isEssential: false, about: 'whether a message is a comment or the answer' },

  // Sampling.
  seed: { isEssential: false, about: 'repeatable sampling' },
  frequency_penalty: { isEssential: false, about: 'sampling' },
  presence_penalty: { isEssential: false, about: 'sampling' },
  logit_bias: { isEssential: false, about: 'sampling' },

  // Hosted tools.
  search: { isEssential: true, about: 'a search by the provider' },
  offered_provider_tools: { isEssential: false, about: 'tools that run at the provider, such as its web search, and are only offered' },
  forced_provider_tool: { isEssential: true, about: 'of a tool that runs at the provider' },
  taught_tools: { isEssential: true, about: "other tools of the provider's own, such as its shell" },
  provider_tool_results: { isEssential: false, about: 'what tools that run at the provider were asked and answered' },
  mcp_servers: { isEssential: true, about: 'tools that the provider calls' },
  container: { isEssential: true, about: 'files and skills at the provider' },
  compacted: { isEssential: true, about: 'a conversation that the provider has shortened, or is to shorten' },
  truncation: { isEssential: false, about: 'shortening of the conversation by the provider' },
  image_compression: { isEssential: false, about: 'shortening of the conversation by the provider' },
  provider_tool_limit: { isEssential: false, about: 'how often tools run at the provider' },
  provider_outputs: { isEssential: false, about: 'what else the provider tells of its tools' },
  context_management: { isEssential: false, about: 'shortening of the conversation by the provider' },

  // Account and state at the provider.
  user_id: { isEssential: false, about: 'who the end user is' },
  region: { isEssential: true, about: 'where the provider computes' },
  service_tier: { isEssential: false, about: "the provider's own tiers" },
  google_tier: { isEssential: false, about: "Google's own tiers" },
  speed: { isEssential: false, about: "the provider's own tiers" },
  store: { isEssential: false, about: 'storage at the provider' },
  metadata: { isEssential: false, about: 'storage at the provider' },
  client_metadata: { isEssential: false, about: "the client's notes to the provider" },
  safety_settings: { isEssential: false, about: "thresholds of the provider's filters" },
  moderation: { isEssential: false, about: "the provider's checks for abuse" },
  attribution: { isEssential: false, about: "the client's notes to the provider" },
  access_programs: { isEssential: false, about: 'accounts at the provider' },
  abuse_id: { isEssential: false, about: "the provider's checks for abuse" },
  cached_content: { isEssential: true, about: 'a part of the prompt that the provider keeps' },
  automatic_cache: { isEssential: false, about: "the provider's cache" },
  cache_key: { isEssential: false, about: "the provider's cache" },
  cache_options: { isEssential: false, about: "the provider's cache" },
  cache_retention: { isEssential: false, about: "the provider's cache" },
  diagnostics: { isEssential: false, about: "the provider's reports" },
  user_profile: { isEssential: false, about: 'accounts at the provider' },
  workspace: { isEssential: false, about: 'accounts at the provider' },
} as const satisfies Record<string, Meaning>;

export type RequestField = keyof typeof requestFields;

/** A field in a client's format. */
export interface SaidField {
  /** Name in errors and in `x-tidegate-dropped`. */
  name: string;
  /** Values equal to an absent field. */
  neutral?: readonly unknown[];
  /** An empty object requests the field too. */
  isSaidByEmpty?: true;
  /** The gateway implements the field, so providers need not support it. */
  isDoneHere?: true;
  /** Request fields that demonstrate it. */
  example: Readonly<Record<string, unknown>>;
}

export type SaidFields = Readonly<Partial<Record<RequestField, SaidField>>>;

/** Loss of a field that a format carries in part. */
export interface PartialLoss {
  treatment: 'refused' | 'dropped';
  /** Short description of the loss. */
  about: string;
  /** Upstream model concerned; others may support the field. */
  model?: string;
}

/**
 * How an upstream format carries a field: in the parts, possibly with a loss, or as body fields made from the client's value. `in_words`:
 * as a text of the conversation.
 */
export type Carried = 'by_parts' | 'in_words' | PartialLoss | ((value: unknown) => Readonly<Record<string, unknown>>);

export type CarriedFields = Readonly<Partial<Record<RequestField, Carried>>>;

/** A field of a client's body without a place in the parts. */
export interface ExtraField {
  /** If null, no format knows the field. */
  field: RequestField | null;
  /** Name in the client's format. */
  name: string;
  value: unknown;
}

/** Fields of a format by the name in its body. */
export function fieldsByName(said: SaidFields): ReadonlyMap<string, { field: RequestField; neutral: readonly unknown[] }> {
  const byName = new Map<string, { field: RequestField; neutral: readonly unknown[] }>();
  for (const [field, { name, neutral = [] }] of Object.entries(said)) {
    // A name may have different meanings at the top level and below; the top level comes first.
    if (isRequestField(field) && !byName.has(name)) byName.set(name, { field, neutral });
  }
  return byName;
}

export function isRequestField(name: string): name is RequestField {
  return Object.hasOwn(requestFields, name);
}
