export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';

/** Call whose charge decides whether a stored end is delivered. */
export interface SettlingCall {
  request_id: string;
  /** Process that settles the call. */
  process: string;
  /** Pieces that the stored end has. */
  pieces: number;
}

/** A response of the model that its caller may ask for again, and go on from. */
export interface StoredResponseRecord {
  /** As its caller knows it: `resp_…`. */
  id: string;
  user_id: number;
  /** Unix seconds. */
  created_at: number;
  expires_at: number;
  status: ResponseStatus;
  /** Ids of those that it goes on from, the nearest first; of more than some the nearest ones. */
  previous: string[];
  /** How many it goes on from. */
  previous_count: number;
  /** Of the items of all those and of its own. */
  chain_bytes: number;
  /** Objects, arrays, texts and names in them, since the last summary, or fewer. Missing: one of them is an older one. */
  chain_parts?: number;
  /** What it takes here. */
  bytes: number;
  /** Objects, arrays, texts and names in its items and in the response. Missing: it is an older one. */
  parts?: number;
  /** Sealed JSON: the list of its input's items and, behind them, of its output's. What has no place here is in pieces. */
  items: string;
  items_pieces?: number;
  /** How many items its input has. */
  input_count: number;
  /** Sealed JSON: the response without its output. */
  response: string;
  response_pieces?: number;
  /** Of its pieces: what is sealed again has others. */
  pieces_version?: string;
  /** While it goes on without its caller: whose place it takes, unique. */
  place?: string;
  /** Unix milliseconds until which its process has said that it goes on. */
  alive_until?: number;
  is_background?: boolean;
  /** Its end is stored and its call is being settled: whoever finds the charge delivers that end. */
  settling?: SettlingCall;
}
