/** An e-mail address or a person at a provider that has left an account. Kept for ever. */
export interface LeftIdentityRecord {
  /** Keyed hash of the kind and the folded subject: the address itself is not kept. */
  id: string;
  /** The first account that it left. */
  user_id: number;
}
