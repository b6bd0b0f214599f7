/** How much is kept of a user's responses and conversations. */
export interface ResponseHoldingRecord {
  /** The user's. */
  id: number;
  count: number;
  bytes: number;
}
