/** Replacement of a key in all channels that had it. */
export interface KeyReplacementRecord {
  id: number;
  /** Milliseconds. */
  at: number;
  /** Id and name of the administrator. */
  user_id: number;
  username: string;
  old_ending: string;
  new_ending: string;
  /** Hash of the new key: an undo replaces nothing else. */
  new_hash: string;
  old_hash: string;
  /** Encrypted old key for an undo; empty once it cannot be undone. */
  old_cipher: string;
  places: ReplacedPlace[];
  /** Milliseconds of the undo; 0 if there was none. */
  undone_at: number;
}

export interface ReplacedPlace {
  channel_id: number;
  /** Id of the key's record; 0 for the only key of a channel. */
  key_id: number;
  /** Destination of the channel then: an undo sends the old key nowhere else. */
  destination: { type: number; base_url: string; setting: string };
}
