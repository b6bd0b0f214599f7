/** Maps the request id of a refused call to the log row that counts it. */
export interface RefusedRequestRecord {
  id: string;
  log_id: number;
  /** Unix seconds; undefined in records of earlier versions. */
  created_at?: number;
}
