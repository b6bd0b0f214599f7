// What a response only names by addresses, although its caller wants it: it is fetched from there.

/** Null: the response has all that is wanted. */
export type LinkedContents = (response: Buffer) => ContentsToFetch | null;

export interface ContentsToFetch {
  /** Where the provider says that they are. They have to be public ones, and are told no key. */
  addresses: readonly string[];
  /** The response with them in it. */
  put(contents: readonly Buffer[]): Buffer;
}
