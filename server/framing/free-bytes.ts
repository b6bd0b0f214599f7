// Frees memory at once. Dropped buffers wait for a collection, which JavaScript allocations trigger, not external
// memory: megabytes of buffers would pile up.

/** Frees bytes that are not used any more, if they own their memory; they are empty afterwards. */
export function freeBytes(bytes: Buffer): void {
  const { buffer, byteOffset, byteLength } = bytes;
  if (byteOffset !== 0 || byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
  try {
    // Transferring zero bytes frees the rest. Versions of Node without it leave this to the collector.
    buffer.transfer?.(0);
  } catch {
    // Memory that cannot be detached.
  }
}
