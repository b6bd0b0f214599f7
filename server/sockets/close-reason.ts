// Reasons that WebSockets are closed with.

/** Reason of a close, cut to its maximum length. https://www.rfc-editor.org/rfc/rfc6455#section-5.5 */
export function closeReason(reason: string): string {
  return Buffer.from(reason).subarray(0, 100).toString('utf8').replaceAll('\uFFFD', '');
}
