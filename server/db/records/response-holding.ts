/** Totals of a user's stored responses and conversations. */
export interface ResponseHoldingRecord {
  /** Id of the user. */
  id: number;
  count: number;
  bytes: number;
}
