// Server processes are killed at random moments under load, started again and audited: whatever was answered is billed,
// once and as it was answered, and no unit is lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { reconcile } from '#tests/faults/kill-books.ts';
import { ChatLoad, SocketLoad } from '#tests/faults/kill-calls.ts';
import { ConversationLoad } from '#tests/faults/kill-conversations.ts';
import { FileLoad } from '#tests/faults/kill-files.ts';
import { StoredLoad } from '#tests/faults/kill-kept.ts';
import { type AnsweredCall, keepRequesting, type KillLoad } from '#tests/faults/kill-load.ts';
import { MediaLoad } from '#tests/faults/kill-media.ts';
import { seed, type SeededAccounts, startProviders } from '#tests/faults/kill-scene.ts';
import { createClient } from '#tests/support/http-client.ts';
import { createScratch } from '#tests/support/scratch-database.ts';
import { runAudit, type ServerProcess, startServer } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

export interface KillRunOptions {
  kills: number;
  /** URL of a MongoDB server; undefined: a file of its own. */
  mongo?: string | undefined;
  /** Server processes on the one database. */
  processes: number;
  /** Callers that always have one call under way. */
  callers: number;
  /** Called after every kill. */
  onKill?: (line: string) => void;
}

export interface KillRunReport {
  kills: number;
  /** Calls that the callers got whole answers to. */
  answered: number;
  /** … and what else was done, by its kind. */
  figures: Record<string, number>;
  /** Calls that were cut by a kill. */
  cut: number;
  /** Rows of calls whose answer did not arrive although they were settled. */
  settledUnmapped: number;
  /** Quota edits that were confirmed. */
  edits: number;
  /** What is wrong; empty when nothing is. */
  problems: string[];
}

const shortestLifeMs = 50;
const longestLifeMs = 1_200;
/** Of calls, before the first kill. */
const leastAnswered = 20;
const figuresOf = (loads: readonly KillLoad[]): Record<string, number> => Object.assign({}, ...loads.map(({ figures }) => figures));

export async function runKills(options: KillRunOptions): Promise<KillRunReport> {
  const scratch = await createScratch(options.mongo);
  const { url } = scratch;
  const providers = await startProviders();
  const report: KillRunReport = { kills: 0, answered: 0, figures: {}, cut: 0, settledUnmapped: 0, edits: 0, problems: [] };
  const { problems } = report;
  const answers: AnsweredCall[] = [];
  const stored = new StoredLoad(problems);
  const loads: readonly KillLoad[] = [
    new ChatLoad(problems),
    new ConversationLoad(problems),
    stored,
    new SocketLoad(problems, stored),
    new MediaLoad(problems),
    new FileLoad(problems, providers.files),
  ];
  const seeded = await scratch.withContext((context) => seed(context, providers));
  const env = { DATABASE_URL: url };
  const servers: (ServerProcess | null)[] = await Promise.all(Array.from({ length: options.processes }, () => startServer(env)));
  let isRunning = true;
  const serverOf = (turn: number) => servers[turn % servers.length] ?? null;

  const call = (caller: number, load: KillLoad) =>
    keepRequesting(
      load,
      {
        key: seeded.keys[caller % seeded.keys.length] ?? '',
        caller,
        isRunning: () => isRunning,
        current: () => servers.find((server) => server !== null) ?? null,
        answered(answer) {
          answers.push(answer);
          report.answered += 1;
        },
      },
      { serverOf: (turn) => serverOf(caller + turn), cut: () => void (report.cut += 1) },
    );

  const edit = async (): Promise<void> => {
    for (let turn = 0; isRunning; turn += 1) {
      const server = serverOf(turn);
      await sleep(30);
      if (server !== null && (await editQuota(server, seeded, turn))) report.edits += 1;
    }
  };

  const callers = Array.from({ length: options.callers }, (_, caller) =>
    loads.flatMap((load, at) => (caller % loads.length === at ? [call(caller, load)] : [])),
  );
  const running = [...callers.flat(), edit()];
  // There must be something to lose, however slow the machine is.
  await until(() => report.answered > leastAnswered && Object.values(figuresOf(loads)).every((count) => count > 0), 60_000);
  for (let kill = 0; kill < options.kills; kill += 1) {
    await sleep(shortestLifeMs + Math.random() * (longestLifeMs - shortestLifeMs));
    // Now and then all at once, as when a machine goes down.
    const victims = Math.random() < 0.3 ? [...servers.keys()] : [kill % servers.length];
    await Promise.all(victims.map((victim) => servers[victim]?.kill('SIGKILL')));
    for (const victim of victims) servers[victim] = null;
    report.kills += 1;
    // Audits meet the database as the dead left it, and while their successors are starting.
    const [audited] = await Promise.all([
      runAudit(url),
      ...victims.map(async (victim) => {
        if (kill % 2 === 0) await sleep(Math.random() * 300);
        servers[victim] = await startServer(env);
      }),
    ]);
    options.onKill?.(`kill ${kill + 1} of ${victims.length}: ${report.answered} answered, audit ${audited.code}`);
    if (audited.code !== 0) problems.push(`the audit after kill ${kill + 1} ended with ${audited.code}: ${audited.output}`);
  }
  isRunning = false;
  await Promise.all(running);
  for (const server of servers) {
    const code = await server?.kill('SIGTERM');
    if (code !== 0) problems.push(`a server that was told to end ended with ${code}: ${server?.output()}`);
  }
  const audited = await runAudit(url);
  if (audited.code !== 0) problems.push(`the last audit ended with ${audited.code}: ${audited.output}`);
  const seen = { answers, loads, edits: report.edits };
  report.settledUnmapped = await scratch.withContext((context) => reconcile(context, seen, problems));
  report.figures = figuresOf(loads);
  await providers.close();
  await scratch.remove();
  return report;
}

/** False: no response confirmed it. */
async function editQuota(server: ServerProcess, seeded: SeededAccounts, turn: number): Promise<boolean> {
  const admin = createClient(server.origin);
  admin.setCookie(seeded.adminCookie);
  admin.setUser(seeded.adminId);
  const id = seeded.userIds[turn % seeded.userIds.length];
  const answer = await admin.put('/api/user/', { id, quota_change: turn % 4 === 3 ? -900 : 1000 }).catch(() => null);
  return answer?.success === true;
}
