// An organisation of twenty with teams, monthly budgets, tokens and this month's calls.
import { pino } from 'pino';
import { openDatabase } from '#server/db/open.ts';
import { foldLog } from '#server/logs/fold-log.ts';
import { type Api, owner, signInByApi } from '#tests/e2e/support/furnish.ts';
import { buildLog } from '#tests/support/build-log.ts';

const usd = 500_000;
const password = 'a password of theirs';
/** One of them with the longest name that the console accepts. */
const internNames = [
  'Ana',
  '周敏',
  'Kofi Mensah',
  'Wolfeschlegelsteinha',
  'Priya',
  '李雷',
  'Jonas',
  'Zoë',
  'Omar',
  '韩梅梅',
  'Sven',
  'Ida',
];
const interns = internNames.map((name, index) => ({
  username: `harbour.i${index + 1}`,
  display_name: name,
  role: 'developer' as const,
  team: 1 + (index % 2),
  budget: 10,
  spent: index % 4 === 3 ? 0 : 1.17 * index,
  end: 'stop' as const,
}));
/** Dollars of the monthly budget, and of this month's calls; 0: none. */
const people = [
  { username: 'harbour.lin', display_name: '林薇', role: 'administrator', team: 0, budget: 40, spent: 1.3, end: 'warn' },
  { username: 'harbour.tom', display_name: 'Tomás Ruiz', role: 'developer', team: 1, budget: 80, spent: 33.9, end: 'stop' },
  { username: 'harbour.aiko', display_name: 'Aiko Tanaka', role: 'developer', team: 1, budget: 60, spent: 52.95, end: 'stop' },
  { username: 'harbour.eval', display_name: 'Nightly evaluation', role: 'developer', team: 2, budget: 25, spent: 25, end: 'stop' },
  { username: 'harbour.chen', display_name: '陈杰', role: 'developer', team: 2, budget: 0, spent: 5.81, end: 'stop' },
  ...interns,
  { username: 'harbour.ines', display_name: 'Inês', role: 'billing', team: 0, budget: 0, spent: 0, end: 'stop' },
  { username: 'harbour.bo', display_name: 'Bo', role: 'reader', team: 0, budget: 0, spent: 0, end: 'stop' },
] as const;
const models = ['claude-3-5-sonnet', 'gpt-4o', 'o3-mini', 'deepseek-chat'];

const monthly = (dollars: number, end: string) => ({
  id: 'monthly',
  amount: dollars * usd,
  period: 'month',
  starts: 'calendar',
  at_end: end,
});

/** Returns its id. */
export async function seedOrganisation({ api, url, site }: { api: Api; url: string; site: string }): Promise<number> {
  const { id } = (await api.post('/api/organisation/', { name: 'Harbour Labs', ref: 'harbour-labs' })) as { id: number };
  const path = `/api/organisation/${id}`;
  await api.put('/api/user/', { id: 1, quota_change: 700 * usd });
  await api.post(`${path}/fund`, { amount: 600 * usd, ref: 'harbour-fund' });
  await api.put(path, { budgets: [monthly(400, 'warn')], policy: { models: [...models, 'gpt-4o-mini'], stores_nothing: true } });
  const teams = [0];
  for (const team of [
    { name: '产品', budgets: [monthly(200, 'stop')], policy: { models: ['claude-3-5-sonnet', 'gpt-4o'] } },
    { name: 'Evaluation', budgets: [monthly(90, 'warn')], policy: { addresses: ['10.0.0.0/8'] } },
  ]) {
    teams.push(((await api.post(`${path}/teams`, team)) as { id: number }).id);
  }
  const spent: { token: number; dollars: number }[] = [];
  for (const { team, budget, end, role, spent: dollars, ...person } of people) {
    await api.post('/api/user/', { password, ...person });
    const { link } = (await api.post(`${path}/invites`, {
      emails: [],
      role,
      team_id: teams[team] ?? 0,
      ...(budget === 0 ? {} : { budgets: [monthly(budget, end)] }),
    })) as { link: string };
    const member = await signInByApi(site, { username: person.username, password }, {});
    await member.post('/api/organisation/invite/accept', { token: link.split('#')[1] });
    if (dollars === 0) continue;
    const onBehalf = await signInByApi(site, { username: person.username, password }, { 'openai-organization': `org-${id}` });
    const [token] = (await onBehalf.post('/api/token/', { name: `${person.username}-key`, unlimited_quota: true })) as { id: number }[];
    spent.push({ token: token?.id ?? 0, dollars });
  }
  const behalf = await signInByApi(site, owner, { 'openai-organization': `org-${id}` });
  const [service] = (await behalf.post('/api/token/', {
    name: 'ci-runner',
    unlimited_quota: true,
    is_service: true,
    team_id: teams[2],
  })) as { id: number }[];
  spent.push({ token: service?.id ?? 0, dollars: 18.4 });
  await api.post(`${path}/invites`, {
    emails: ['maya@example.com', 'jonas@example.com'],
    delivery: 'link',
    role: 'developer',
    budgets: [monthly(20, 'stop')],
  });
  await seedCalls(url, id, spent);
  return id;
}

/** Calls since the first of the month (UTC). */
async function seedCalls(url: string, organisation: number, spent: readonly { token: number; dollars: number }[]): Promise<void> {
  const db = await openDatabase(url);
  const now = Math.floor(Date.now() / 1000);
  const date = new Date(now * 1000);
  const from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000;
  const each = 40;
  try {
    const ids = await db.nextIds('logs', spent.length * each);
    const rows = ids.map((id, index) => {
      const { token, dollars } = spent[Math.floor(index / each)] ?? { token: 0, dollars: 0 };
      return buildLog({
        id,
        user_id: organisation,
        username: 'Harbour Labs',
        created_at: Math.floor(from + ((now - 30 - from) * (index % each)) / each),
        token_id: token,
        token_name: `key-${token}`,
        model_name: models[(index * 7) % models.length] ?? '',
        channel_id: 1,
        quota: Math.round((dollars * usd) / each),
        prompt_tokens: 900 + (index % 700),
        completion_tokens: 300 + (index % 200),
        use_time: 2,
        other: { duration_ms: 1400, frt: 300 },
      });
    });
    await db.write(rows.map((insert) => ({ insert, into: 'logs' as const })));
    await db.collection('log_folds').remove({ id: 'head' });
    await foldLog({ db, now: Date.now, log: pino({ level: 'silent' }) });
  } finally {
    await db.close();
  }
}
