// Receives an upstream's callback about a drawing. The URL has a secret of that task; reports about other tasks are ignored.
import { AppError, errorText } from '#shared/errors.ts';
import type { RequestFacts } from '#server/http/call.ts';
import type { Connection } from '#server/http/connection.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { toAppError } from '#server/http/failure.ts';
import { readJson } from '#server/http/parse-body.ts';
import { dropBody } from '#server/http/read-body.ts';
import { followTask } from '#server/work/tasks/follow-task.ts';
import { isNotifySecret } from '#server/tasks/notify-secret.ts';
import { readDrawing } from '#server/tasks/platforms/midjourney.ts';
import { DrawingRefusal, drawingRefusal } from './refusal.ts';

const mostBytes = 1_000_000;

interface Notice {
  request: Request;
  params: Record<string, string>;
  connection: Connection | null;
}

export async function receiveNotice(host: RouteHost, notice: Notice): Promise<Response> {
  const { context } = host;
  const facts = host.facts(notice.request, notice.connection);
  const headers = { 'cache-control': 'no-store', 'x-oneapi-request-id': facts.requestId };
  try {
    await follow(host, notice, facts);
    return new Response(null, { headers });
  } catch (failure) {
    if (notice.connection !== null) dropBody(notice.connection);
    const error = failure instanceof DrawingRefusal ? failure : toAppError(failure, context, facts.requestId);
    const reported = drawingRefusal(error, facts.language);
    if (reported !== null) return Response.json(reported.body, { status: reported.status, headers });
    if (!(error instanceof AppError)) throw error;
    const description = errorText(error.code, facts.language, error.details);
    return Response.json({ description, type: 'upstream_error', code: 4 }, { status: error.status === 200 ? 400 : error.status, headers });
  }
}

async function follow(host: RouteHost, { request, params, connection }: Notice, facts: RequestFacts): Promise<void> {
  const { context } = host;
  const { task: given = '', secret = '' } = params;
  const id = /^\d{1,15}$/.test(given) ? Number(given) : 0;
  // Before anything is read, and the same answer whether or not there is such a task.
  if (!isNotifySecret(context, id, secret)) {
    await host.limit(facts, null);
    throw new DrawingRefusal('midjourney_task_not_found');
  }
  const body = await readJson({ request, connection, limit: mostBytes }, context.bodies, `address:${facts.ip}`);
  const report = readDrawing(body);
  if (report === null) throw new DrawingRefusal('bind_request_body_failed');
  const task = await context.db.collection('tasks').get(id);
  if (task === null) throw new DrawingRefusal('midjourney_task_not_found');
  // It may call before its answer to the submission is noted: then the next question brings the same.
  if (task.upstream_id === undefined) return;
  if (task.upstream_id !== report.upstreamId) throw new DrawingRefusal('midjourney_task_not_found');
  await followTask(context, task, report);
}
