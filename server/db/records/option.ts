export interface OptionRecord {
  /** The option's key. */
  id: string;
  /** The value as text; secrets encrypted. */
  value: string;
  revision: number;
  updated_at: number;
  updated_by: number;
}
