/** Reasons why a request to a user's address failed. */
export type EgressReason =
  | 'not_https'
  /** Not of the public internet, or some of its addresses are not. */
  | 'private_address'
  /** Something else than the web is spoken there. */
  | 'refused_port'
  | 'unknown_host'
  | 'unreachable'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'too_many_redirects'
  | 'broken_answer';

export class EgressRefusal extends Error {
  readonly reason: EgressReason;
  constructor(reason: EgressReason, options?: ErrorOptions) {
    super(`The request was not made or not answered: ${reason}`, options);
    this.name = 'EgressRefusal';
    this.reason = reason;
  }
}
