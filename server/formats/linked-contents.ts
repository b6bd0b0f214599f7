// Content behind URLs in a response, fetched because the caller requested it inline.

/** Returns null if the response needs nothing. */
export type LinkedContents = (response: Buffer) => ContentsToFetch | null;

export interface ContentsToFetch {
  /** Public URLs from the provider, fetched without a key. */
  addresses: readonly string[];
  /** Returns the response with the contents inlined. */
  put(contents: readonly Buffer[]): Buffer;
}
