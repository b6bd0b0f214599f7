/** A field that only one format has; other formats have no place for it. */
export interface OnlyField {
  /** The response would be a wrong one without it: the call is refused. Otherwise the field is left out and named. */
  isEssential: boolean;
  /** Values that say nothing. */
  neutral?: readonly unknown[];
  /** What it is about, in a few words. */
  about: string;
  /** A value that says something. */
  example: unknown;
  /** Fields of a request that show it, where it stands deeper in the body. */
  request?: Readonly<Record<string, unknown>>;
}
