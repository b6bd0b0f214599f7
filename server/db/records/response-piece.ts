/** A part of what is kept of a response and has no place in its record. */
export interface ResponsePieceRecord {
  /** Response, kind and number. */
  id: string;
  response_id: string;
  kind: 'items' | 'response' | 'events';
  /** Of its order; of events the sequence number of the last one. */
  number: number;
  /** Sealed, or a part of what is. */
  content: string;
  /** Unix seconds. */
  expires_at: number;
}
