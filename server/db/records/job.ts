export interface JobRecord {
  id: string;
  owner: string;
  expires_at: number;
  last_run_at: number;
}
