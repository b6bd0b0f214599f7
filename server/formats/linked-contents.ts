// Types for content behind URLs in a response, which is fetched if the caller requested it inline.

/** Returns the contents to fetch for a response; null if none. */
export type LinkedContents = (response: Buffer) => ContentsToFetch | null;

export interface ContentsToFetch {
  /** Public URLs from the provider, fetched without a key. */
  addresses: readonly string[];
  /** Returns the response with the contents inlined. */
  put(contents: readonly Buffer[]): Buffer;
}
