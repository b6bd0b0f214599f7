// Runs that take minutes because they call the provider of every channel: tests and balances of all.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';

export const ChannelRunKind = z.enum(['tests', 'balances']);
export type ChannelRunKind = z.infer<typeof ChannelRunKind>;

export const ChannelRun = z.object({
  state: z.enum(['running', 'done', 'stopped']),
  /** Unix seconds. */
  started_at: z.int(),
  /** 0 while it runs. */
  ended_at: z.int(),
  /** Who started it; empty: the clock. */
  started_by: z.string(),
  total: z.int(),
  done: z.int(),
  /** Of those that are done. */
  failed: z.int(),
  /** Channels that were taken out of use, or into it again, for what came of it. */
  disabled: z.int(),
  enabled: z.int(),
  /** Ids of the channels in progress. */
  current: z.array(z.int()),
  /** Channels go by their ids; those up to this one are done. */
  last_id: z.int(),
});
export type ChannelRun = z.infer<typeof ChannelRun>;

/** Null: there was none yet. */
export const ChannelRuns = z.object({ tests: z.nullable(ChannelRun), balances: z.nullable(ChannelRun) });
export type ChannelRuns = z.infer<typeof ChannelRuns>;

const IdParam = z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)) });

export const channelRunApi = {
  testAll: endpoint('GET', '/api/channel/test', {
    access: 'admin',
    audit: { exempt: 'jobs' },
    changesState: true,
    summary: 'Begin to test all channels',
  }),
  updateBalances: endpoint('GET', '/api/channel/update_balance', {
    access: 'admin',
    audit: { exempt: 'jobs' },
    changesState: true,
    summary: 'Begin to ask for the balances of all enabled channels',
  }),
  updateBalance: endpoint('GET', '/api/channel/update_balance/:id', {
    access: 'admin',
    audit: { exempt: 'reads' },
    params: IdParam,
    /** USD. */
    extra: z.object({ balance: z.number() }),
    changesState: true,
    summary: 'Ask for the balance of a channel',
  }),
  runs: endpoint('GET', '/api/channel/runs', {
    access: 'admin',
    reply: ChannelRuns,
    summary: 'How tests and balances of all channels go on',
  }),
  stop: endpoint('POST', '/api/channel/runs/stop', {
    access: 'admin',
    audit: { exempt: 'jobs' },
    body: z.object({ kind: ChannelRunKind }),
    reply: ChannelRuns,
    summary: 'Stop tests or balances of all channels',
  }),
};
