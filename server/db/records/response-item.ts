/** Which response an item of an output belongs to. */
export interface ResponseItemRecord {
  /** The user and the item's id. */
  id: string;
  response_id: string;
  /** Unix seconds. */
  expires_at: number;
}
