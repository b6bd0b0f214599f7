/** Maps an output item to its response. */
export interface ResponseItemRecord {
  /** User id and item id. */
  id: string;
  response_id: string;
  /** Unix seconds. */
  expires_at: number;
}
