export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';

/** Call whose charge decides whether a stored end is delivered. */
export interface SettlingCall {
  request_id: string;
  /** Process that settles the call. */
  process: string;
  /** Number of pieces of the stored end. */
  pieces: number;
}

/** A stored response, which its caller can retrieve and continue. */
export interface StoredResponseRecord {
  /** Public id: `resp_…`. */
  id: string;
  user_id: number;
  /** Member of an organisation whose key has stored it. Undefined for persons and service accounts. */
  member_id?: number;
  /** Unix seconds. */
  created_at: number;
  expires_at: number;
  status: ResponseStatus;
  /** Ids of the responses that it continues, the nearest first, up to a limit. */
  previous: string[];
  /** Number of responses that it continues. */
  previous_count: number;
  /** Bytes of the items of the whole chain. */
  chain_bytes: number;
  /**
   * Number of objects, arrays, texts and names in the chain since the last summary, or less. Undefined if it includes
   * an old record.
   */
  chain_parts?: number;
  /** Bytes stored. */
  bytes: number;
  /** Number of objects, arrays, texts and names in its items and response. Undefined in old records. */
  parts?: number;
  /** Sealed JSON: input items, then output items. Longer lists continue in pieces. */
  items: string;
  items_pieces?: number;
  /** Number of input items. */
  input_count: number;
  /** Sealed JSON: the response without its output. */
  response: string;
  response_pieces?: number;
  /** Id of the sealing of its pieces. */
  pieces_version?: string;
  /** Unique slot of the user while it runs in the background. */
  place?: string;
  /** Unix milliseconds until which its process has renewed it. */
  alive_until?: number;
  is_background?: boolean;
  /**
   * Set while its end is stored and its call is being settled: once the charge is found, any process delivers the end.
   */
  settling?: SettlingCall;
  /** A temporary copy of its end is stored, also for a moment after the end. */
  has_ending?: 1;
}
