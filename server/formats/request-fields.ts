// What a request can say beside its messages, in no format's words: one vocabulary for all formats. A client's format tells how it
// says it, a provider's what it carries. What the one says and the other does not carry is lost: `translation-table.ts` is the
// difference.

interface Meaning {
  /** What it is about, in a few words. */
  about: string;
  /** The response would be a wrong one without it: where it is lost, the call is refused. Otherwise it is left out and named. */
  isEssential: boolean;
}

export const requestFields = {
  // What the parts and fields of `ChatRequest` hold.
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

  // What runs at the provider.
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

  // The account and its calls at the provider.
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

/** How a client's format says it. */
export interface SaidField {
  /** As the caller reads it in the error or in `x-tidegate-dropped`. */
  name: string;
  /** Values that say nothing. */
  neutral?: readonly unknown[];
  /** An object without members asks for it too. */
  isSaidByEmpty?: true;
  /** The gateway does itself what it asks for: it is not lost where a provider's format has no place for it. */
  isDoneHere?: true;
  /** Fields of a request that show it. */
  example: Readonly<Record<string, unknown>>;
}

export type SaidFields = Readonly<Partial<Record<RequestField, SaidField>>>;

/** What of a field is lost in a format that carries the rest of it. */
export interface PartialLoss {
  treatment: 'refused' | 'dropped';
  /** What is lost, or when, in a few words. */
  about: string;
  /** Upstream model that it is about; others may take it. */
  model?: string;
}

/**
 * How a provider's format carries a field: as the parts hold it, all of it or but for a loss, or by fields of its body that are made
 * from the value that the client gave. `in_words`: a text of the conversation says it.
 */
export type Carried = 'by_parts' | 'in_words' | PartialLoss | ((value: unknown) => Readonly<Record<string, unknown>>);

export type CarriedFields = Readonly<Partial<Record<RequestField, Carried>>>;

/** A field of a client's body that has no place in the parts. */
export interface ExtraField {
  /** Null: no format knows it. */
  field: RequestField | null;
  /** As the client's format calls it. */
  name: string;
  value: unknown;
}

/** The fields that a format says by one name of its body, by that name. */
export function fieldsByName(said: SaidFields): ReadonlyMap<string, { field: RequestField; neutral: readonly unknown[] }> {
  const byName = new Map<string, { field: RequestField; neutral: readonly unknown[] }>();
  for (const [field, { name, neutral = [] }] of Object.entries(said)) {
    // A name may say one thing for a whole request and another one deeper in it: the first one is about the request.
    if (isRequestField(field) && !byName.has(name)) byName.set(name, { field, neutral });
  }
  return byName;
}

export function isRequestField(name: string): name is RequestField {
  return Object.hasOwn(requestFields, name);
}
