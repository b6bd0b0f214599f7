/** Somebody who has been sent to a provider and is to come back with its answer. */
export interface SignInAttemptRecord {
  /** Hash of the state. */
  id: string;
  /** Hash of the browser's cookie: the answer counts in the browser that asked, and nowhere else. */
  browser: string;
  /** Empty: the client made the provider's address itself, and may use the state at any. */
  provider: string;
  /** 0: to sign in; else the user whose account is to be bound. */
  user_id: number;
  invite_code: string;
  /** Where the provider was told to send the browser back to; empty: it was not told. */
  redirect_uri: string;
  /** PKCE (RFC 7636) and the nonce of OpenID Connect; empty where the client made the address. */
  code_verifier: string;
  nonce: string;
  /** Milliseconds since 1970. */
  expires_at: number;
}
