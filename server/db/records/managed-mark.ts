/** A record that a file of settings as code manages: it is changed there, not in the console. */
export interface ManagedMark {
  /** Name of the set of files; the record is deleted only by it. */
  by: string;
  /** File with the record, as people are shown it. */
  file: string;
  /** What the file leaves to the console, although it manages the record: `status`, `key`. */
  left: string[];
  /** Keyed hash of the channel's keys in the file, when they were applied: a sign-in renews its key, which makes no difference to the file. */
  key?: string;
}
