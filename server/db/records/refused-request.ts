/** By the request id that its caller got, the row that a refused call is counted in. */
export interface RefusedRequestRecord {
  id: string;
  log_id: number;
  /** Unix seconds; absent in records of earlier versions. */
  created_at?: number;
}
