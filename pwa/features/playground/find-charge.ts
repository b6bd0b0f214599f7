// What a call has cost. Loaded when the first answer is there: the log's contract is large.
import { z } from 'zod/mini';
import { logApi, LogType } from '#shared/logs.ts';
import { call } from '#pwa/api/call.ts';

const Charged = z.object({
  id: z.number(),
  type: z.literal(LogType.consumption),
  quota: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
});

/** When the row of a call is looked for: a stopped one is settled a little later. Milliseconds. */
const waits = [0, 800, 3000];

/** Undefined: the log has no such call, or is unreachable. */
export async function findCharge(requestId: string): Promise<z.infer<typeof Charged> | undefined> {
  for (const wait of waits) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    const page = await call(logApi.listSelf, { query: { request_id: requestId } }).catch(() => undefined);
    const row = Charged.safeParse(page?.items[0]).data;
    if (row !== undefined) return row;
  }
  return undefined;
}
