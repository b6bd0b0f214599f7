/** A code that was sent to an e-mail address. */
export interface VerificationCodeRecord {
  /** Hash of what it is for, whose, and where it was asked for: a new code takes the place of the one before. */
  id: string;
  /** Of a pointer, which counts the tries from elsewhere: the code itself. */
  code_id?: string;
  code_hash: string;
  /** How often it has been tried. */
  tries: number;
  /** Milliseconds since 1970. */
  expires_at: number;
}
