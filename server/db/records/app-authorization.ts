/** A code of an application, or the request of a device, until the key is fetched. */
export interface AppAuthorizationRecord {
  /** Keyed hash of the code or device code. */
  id: string;
  kind: 'code' | 'device';
  /** `redeemed`: the key was made, or is being made. */
  state: 'pending' | 'approved' | 'denied' | 'redeemed';
  /** Keyed hash of the user code of a device. */
  user_code_hash?: string;
  client: string;
  name: string;
  /** Of an application: its callback as sent, and the S256 challenge. */
  callback?: string;
  challenge?: string;
  /** Address and program that requested a device code. */
  ip: string;
  user_agent: string;
  /** Who allowed it, and what: a `KeyGrant` as JSON. */
  user_id?: number;
  grant?: string;
  /** Keyed hash of the account's password hash at that time. */
  credentials?: string;
  /** Key that was made of it. */
  token_id?: number;
  /** It was redeemed a second time: its key must not exist. */
  replayed?: true;
  /** Redemptions with another verifier, client or callback. */
  wrong: number;
  /** Milliseconds. */
  created_at: number;
  expires_at: number;
  /** Of a device: milliseconds of the next poll that is not too early, and seconds between polls. */
  poll_at?: number;
  interval?: number;
}
