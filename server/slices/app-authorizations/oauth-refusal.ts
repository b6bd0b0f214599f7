/** Error codes of RFC 6749, 5.2, and RFC 8628, 3.5. */
export type OAuthError =
  | 'invalid_request'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  | 'temporarily_unavailable'
  | 'server_error';

/** A refusal in the words of the standard. */
export class OAuthRefusal extends Error {
  readonly error: OAuthError;
  constructor(error: OAuthError, description: string) {
    super(description);
    this.name = 'OAuthRefusal';
    this.error = error;
  }
}

/** @throws {OAuthRefusal} */
export function refuse(error: OAuthError, description: string): never {
  throw new OAuthRefusal(error, description);
}
