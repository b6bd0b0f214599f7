// What a request can say and some formats have no place for. A client's format tells which field says it, a provider's what
// becomes of it; `translation-table.ts` puts the two together.

export type Loss =
  | 'media'
  | 'json_without_schema'
  | 'effort'
  | 'thinking_budget'
  | 'temperature'
  | 'top_p'
  | 'top_k'
  | 'thoughts'
  | 'unsigned_thoughts'
  | 'image_detail'
  | 'names'
  | 'tool_errors'
  | 'cache_hints';

/** How a client's format says it. */
export interface LossField {
  /** As the caller reads it in the error or in `x-tidegate-dropped`. */
  field: string;
  /** Fields of a request that show it. */
  example: Readonly<Record<string, unknown>>;
}

export type LossFields = Readonly<Partial<Record<Loss, LossField>>>;

/** What becomes of it in a provider's format. */
export interface LossRule {
  treatment: 'refused' | 'dropped';
  /** What is lost, or when, in a few words. */
  about: string;
  /** Upstream model that it is about; others may take it. */
  model?: string;
}

export type LossRules = Readonly<Partial<Record<Loss, LossRule>>>;
