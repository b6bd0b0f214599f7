// Reads statuses of errors in bodies of status 200.

export const accountStatuses: ReadonlySet<number> = new Set([401, 402, 403]);
/** Statuses with which an upstream rejects the channel's account. */
export const statusesOfChannel: ReadonlySet<number> = new Set([...accountStatuses, 429]);

/** Returns the status in an error object if it concerns the channel, else 502. */
export function statusInBody(error: Readonly<Record<string, unknown>>): number {
  for (const value of [error['code'], error['status'], error['status_code']]) {
    const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
    if (typeof status === 'number' && statusesOfChannel.has(status)) return status;
  }
  return 502;
}
