/** An e-mail address or provider identity that was removed from an account. Retained for ever. */
export interface LeftIdentityRecord {
  /** Keyed hash of the kind and the folded subject; the address itself is not stored. */
  id: string;
  /** The first account that it was removed from. */
  user_id: number;
}
