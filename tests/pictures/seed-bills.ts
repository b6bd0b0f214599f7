// Two accounts at providers, calls of four weeks with their prices, and bills that differ from them here and there.
import { pino } from 'pino';
import type { BillAccountInput } from '#shared/bill-accounts.ts';
import { defaultQuotaPerUnit } from '#shared/quota.ts';
import { openDatabase } from '#server/db/open.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { foldLog } from '#server/logs/fold-log.ts';
import { buildBillAccount } from '#tests/support/build-bill.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { until } from '#tests/support/until.ts';
import type { Site } from './seed-site.ts';

const days = 28;
const callsPerDay = 24;
/** Tokens of one row, which stands for a batch of calls: a bill of some hundred dollars needs no million rows. */
const [inputTokens, outputTokens] = [180_000, 26_000];
/** Model, as its provider writes it in the bill, and USD per million tokens in and out. */
const models = [
  { model: 'claude-3-5-sonnet', line: 'anthropic/claude-3.5-sonnet', input: 3, output: 15 },
  { model: 'gpt-4o', line: 'openai/gpt-4o', input: 2.5, output: 10 },
  { model: 'gpt-4o-mini', line: 'openai/gpt-4o-mini', input: 0.15, output: 0.6 },
  { model: 'deepseek-chat', line: 'deepseek/deepseek-chat', input: 0.27, output: 1.1 },
];

interface Call {
  row: LogRecord;
  line: string;
  usd: number;
  generation: string;
}

/** @param channels ids of the channel with the provider's dashboard, and of that whose bill names each call */
export async function seedBills(site: Site, channels: { daily: number; named: number }): Promise<void> {
  // First: calls are counted by the hour once there is an account.
  const main = await addAccount(site, { name: 'OpenAI · 组织 tide', provider: 'openai', channel_ids: [channels.daily], factor: '0.95' });
  const router = await addAccount(site, { name: 'OpenRouter', provider: 'openrouter', channel_ids: [channels.named] });
  const [daily = [], named = []] = await writeCalls(site, [channels.daily, channels.named]);
  await upload(site, main, { name: 'costs_2026-10-28_2026-11-28.csv', body: costsOf(daily) });
  await upload(site, router, { name: 'openrouter_activity_2026-11.csv', body: activityOf(named) });
  await upload(site, router, { name: 'invoice.pdf', body: '%PDF-1.7 no table' });
}

async function addAccount({ api }: Site, fields: Partial<BillAccountInput>): Promise<number> {
  const { id } = (await api.post('/api/bill/account', buildBillAccount(fields))) as { id: number };
  return id;
}

async function writeCalls({ url }: Site, channelIds: readonly number[]): Promise<Call[][]> {
  const db = await openDatabase(url);
  const calls = [];
  for (const channelId of channelIds) {
    const made = callsOf(channelId, await db.nextIds('logs', days * callsPerDay));
    await db.write(made.map(({ row }) => ({ insert: row, into: 'logs' as const })));
    calls.push(made);
  }
  await foldLog({ db, now: Date.now, log: pino({ level: 'silent' }) });
  await db.close();
  return calls;
}

function callsOf(channel_id: number, ids: readonly number[]): Call[] {
  const first = Math.floor(Date.now() / 86_400_000 - days) * 86_400;
  return ids.map((id, index): Call => {
    const { model = '', line = '', input = 0, output = 0 } = models[(index * 7 + (index >> 3)) % models.length] ?? {};
    const tokens = { in: inputTokens + ((index * 7919) % 90_000), out: outputTokens + ((index * 104_729) % 14_000) };
    const usd = (tokens.in * input + tokens.out * output) / 1e6;
    const generation = `gen-17${(1_600_000_000 + index * 7_919).toString(36)}${id.toString(36)}`;
    const row = buildLog({
      id,
      user_id: 4,
      username: 'maria',
      token_name: 'nightly',
      created_at: first + Math.floor((index * 86_400) / callsPerDay) + 600,
      model_name: model,
      channel_id,
      prompt_tokens: tokens.in,
      completion_tokens: tokens.out,
      quota: Math.round(usd * defaultQuotaPerUnit),
      use_time: 41,
      other: { model_ratio: input / 2, completion_ratio: output / input, group_ratio: 1, admin_info: { upstream_id: generation } },
    });
    return { row, line, usd, generation };
  });
}

/** Costs by day and line item: two days with a price that rose, a day that is missing, and a line without calls. */
function costsOf(calls: readonly Call[]): string {
  const sums = new Map<string, number>();
  for (const { row, usd } of calls) {
    const day = Math.floor(row.created_at / 86_400) * 86_400;
    const age = Math.round((Date.now() / 1000 - day) / 86_400);
    if (age === 9 && row.model_name === 'gpt-4o') continue;
    const share = row.model_name === 'gpt-4o' && age < 4 ? 1.22 : 0.95 + ((age * 13) % 7) / 1_000;
    const key = `${day},"${row.model_name}, input"`;
    sums.set(key, (sums.get(key) ?? 0) + usd * share);
    if (row.model_name === 'gpt-4o' && age % 9 === 4) sums.set(`${day},web search tool calls`, 2.5);
  }
  const lines = [...sums].map(([key, usd]) => {
    const [day = '', line = ''] = key.split(/,(.*)/s);
    return `${day},${Number(day) + 86_400},${usd.toFixed(6)},usd,${line}`;
  });
  return `start_time,end_time,amount_value,amount_currency,line_item\n${lines.join('\n')}\n`;
}

/** A row for each generation: some are missing, some cost more, two are of no call here. */
function activityOf(calls: readonly Call[]): string {
  const lines = calls.flatMap(({ row, line, usd, generation }, index) => {
    if (index % 211 === 40) return [];
    const cost = index % 97 === 30 ? usd * 1.5 : usd;
    const at = new Date(row.created_at * 1000).toISOString().slice(0, 19).replace('T', ' ');
    const own = `${generation},${at},${cost.toFixed(6)},${line},${row.prompt_tokens},${row.completion_tokens}`;
    return index % 300 === 150 ? [own, `${generation}x,${at},0.412000,${line},9000,800`] : [own];
  });
  return `generation_id,created_at,cost_total,model_permaslug,tokens_prompt,tokens_completion\n${lines.join('\n')}\n`;
}

async function upload(site: Site, account: number, { name, body }: { name: string; body: string }): Promise<void> {
  const { id } = (await site.api.upload('POST', `/api/bill/account/${account}/import?file_name=${name}`, body)) as { id: number };
  await until(async () => {
    const { imports } = (await site.api.get('/api/bill/')) as { imports: { id: number; state: string }[] };
    return ['done', 'failed'].includes(imports.find((one) => one.id === id)?.state ?? '');
  });
}
