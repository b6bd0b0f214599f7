/** A sign-in in progress at an identity provider. */
export interface SignInAttemptRecord {
  /** Hash of the state. */
  id: string;
  /** Hash of the browser's cookie: the response is only accepted in the same browser. */
  browser: string;
  /** Empty if the client built the provider's URL itself; the state is then valid for any provider. */
  provider: string;
  /** 0 to sign in; else the user whose account is to be bound. */
  user_id: number;
  invite_code: string;
  /** Redirect URI sent to the provider; empty if none was. */
  redirect_uri: string;
  /** PKCE (RFC 7636) verifier and OpenID Connect nonce; empty if the client built the URL. */
  code_verifier: string;
  nonce: string;
  /** Milliseconds since 1970. */
  expires_at: number;
}
