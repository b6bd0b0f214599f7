/** Part of a stored response that does not fit its record. */
export interface ResponsePartRecord {
  /** Response id, kind and number. */
  id: string;
  response_id: string;
  kind: 'items' | 'response' | 'events' | 'ending';
  /** Order; for events, the sequence number of the last one. */
  number: number;
  /** Sealed, or part of a sealed text. */
  content: string;
  /** Id of the sealing; undefined if it is the only one of its kind. */
  version?: string;
  /**
   * Events split over several records: index of the part and total number; in old records, only the last part has the
   * total.
   */
  part?: number;
  parts?: number;
  /** The last events. */
  is_last?: boolean;
  /** Unix seconds. */
  expires_at: number;
}
