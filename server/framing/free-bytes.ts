// Memory that is given back at once. What is dropped waits for a collection, and collections come by what JavaScript allocates, not by what
// lies beside its heap: bytes that pass by the megabyte pile up until then.

/** For bytes that nobody reads, writes or sends any more; only those that have their memory for themselves. They are empty afterwards. */
export function freeBytes(bytes: Buffer): void {
  const { buffer, byteOffset, byteLength } = bytes;
  if (byteOffset !== 0 || byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
  try {
    // Moving none of it frees the rest. A Node that cannot leaves it to the collection.
    buffer.transfer?.(0);
  } catch {
    // Memory that its owner does not let go.
  }
}
