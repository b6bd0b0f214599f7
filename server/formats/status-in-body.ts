// Statuses that errors in bodies of status 200 speak of.

export const accountStatuses: ReadonlySet<number> = new Set([401, 402, 403]);
/** The statuses with which an upstream may say that whoever calls it is refused. */
export const statusesOfChannel: ReadonlySet<number> = new Set([...accountStatuses, 429]);

/** The status that an error object names itself; 502 unless it is one that speaks of the channel. */
export function statusInBody(error: Readonly<Record<string, unknown>>): number {
  for (const value of [error['code'], error['status'], error['status_code']]) {
    const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
    if (typeof status === 'number' && statusesOfChannel.has(status)) return status;
  }
  return 502;
}
