/** A code sent to an e-mail address. */
export interface VerificationCodeRecord {
  /** Hash of purpose, recipient and requester's location: a new code replaces the previous one. */
  id: string;
  /** Set on a pointer, which counts attempts from other locations: id of the code. */
  code_id?: string;
  code_hash: string;
  /** Number of attempts. */
  tries: number;
  /** Milliseconds since 1970. */
  expires_at: number;
}
