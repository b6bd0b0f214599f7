/** Small facts about the installation, e.g. `setup`. */
export interface FactRecord {
  id: string;
  value: unknown;
}
