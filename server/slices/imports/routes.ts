import { type ImportOverview, importApi, importPartBytes } from '#shared/imports.ts';
import { signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import type { AppContext } from '#server/context.ts';
import { createRun, pauseRun, planRun, startRun, stopRun } from './runs/change-run.ts';
import { presentDetails, presentRun, readRun } from './runs/run-records.ts';
import { uploadPart } from './runs/upload-part.ts';

/** Imports that are listed. */
const shown = 50;

export function mountImports(host: RouteHost): void {
  const { context } = host;
  mount(host, importApi.list, () => listRuns(context));
  mount(host, importApi.create, (call) => createRun(context, call.body, signedIn(call).user));
  mount(host, importApi.read, async (call) => presentDetails(context, await readRun(context, Number(call.params.id))));
  mount(host, importApi.part, (call) => uploadPart(context, Number(call.params.id), { at: Number(call.query.at), bytes: call.bytes }));
  mount(host, importApi.plan, (call) => planRun(context, Number(call.params.id), call.body, signedIn(call).user.id));
  mount(host, importApi.start, (call) => startRun(context, Number(call.params.id), signedIn(call).user.id));
  mount(host, importApi.pause, (call) => pauseRun(context, Number(call.params.id)));
  mount(host, importApi.stop, (call) => stopRun(context, Number(call.params.id)));
}

async function listRuns(context: AppContext): Promise<ImportOverview> {
  const { db, env, now } = context;
  const runs = await db.collection('imports').find({}, { sort: [['id', -1]], limit: shown });
  return {
    imports: runs.map((run) => presentRun(context, run)),
    most_bytes: env.MAX_IMPORT_MB * 1_000_000,
    part_bytes: importPartBytes,
    at: Math.floor(now() / 1000),
  };
}
