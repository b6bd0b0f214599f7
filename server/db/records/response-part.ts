/** A part of what is kept of a response and has no place in its record. */
export interface ResponsePartRecord {
  /** Response, kind and number. */
  id: string;
  response_id: string;
  kind: 'items' | 'response' | 'events' | 'ending';
  /** Of its order; of events the sequence number of the last one. */
  number: number;
  /** Sealed, or a part of what is. */
  content: string;
  /** Those that were sealed together. Missing: they are the only ones of their kind. */
  version?: string;
  /** Of events, where one record does not hold them: which part of them it is, and how many there are: of older ones only the last part says so. */
  part?: number;
  parts?: number;
  /** Nothing follows. */
  is_last?: boolean;
  /** Unix seconds. */
  expires_at: number;
}
