// Answers Midjourney clients' queries about drawings from stored records, to the owner only.
import { ownerIn } from '#server/tokens/object-owner.ts';
import { noNames } from '#server/formats/critical-members.ts';
import { AppError } from '#shared/errors.ts';
import type { Connection } from '#server/http/connection.ts';
import { readContent } from '#server/call/admission/read-content.ts';
import type { RelayServices } from '#server/call/services.ts';
import { languageFor, type TaskAnswer } from '#server/call/tasks/answer-tasks.ts';
import { identifyCaller } from '#server/call/tasks/task-caller.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { findTask, findTasks } from '#server/tasks/find-task.ts';
import { idOf } from '#server/tasks/platforms/report-values.ts';
import { presentDrawing } from './present-drawing.ts';
import { DrawingRefusal } from './refusal.ts';

/** Drawings of one question, and bytes of it. */
const mostRequested = 500;
const mostBytes = 1_000_000;

export interface Requested {
  request: Request;
  connection: Connection | null;
}

export async function fetchDrawing(services: RelayServices, requested: Requested, upstreamId: string): Promise<TaskAnswer> {
  const task = await ownDrawing(services, requested, upstreamId);
  return { status: 200, body: presentDrawing(services.context, task, languageFor(requested.request)) };
}

/** Omits missing drawings and those of other users. */
export async function listDrawings(services: RelayServices, { request, connection }: Requested): Promise<TaskAnswer> {
  const { context } = services;
  const admission = await identifyCaller(services, request, connection);
  const reading = readContent(context.bodies, { request, connection, limit: mostBytes, userId: admission.user.id, names: noNames });
  const content = await reading.catch((failure: unknown) => {
    if (failure instanceof AppError && failure.status === 400) throw new DrawingRefusal('do_request_failed');
    throw failure;
  });
  const given = content.body['ids'];
  content.release();
  const ids = Array.isArray(given) ? given.slice(0, mostRequested).map(idOf) : [];
  const upstreamIds = [...new Set(ids.filter((id) => id !== ''))];
  const tasks = await findTasks(context, { platform: 'midjourney', owner: ownerIn(admission), upstreamIds });
  return { status: 200, body: tasks.map((task) => presentDrawing(context, task, languageFor(request))) };
}

/** @throws {DrawingRefusal} */
export async function ownDrawing(services: RelayServices, { request, connection }: Requested, upstreamId: string): Promise<TaskRecord> {
  const owner = ownerIn(await identifyCaller(services, request, connection));
  const task = await findTask(services.context, { platform: 'midjourney', owner, upstreamId });
  if (task === null) throw new DrawingRefusal('task_no_found');
  return task;
}
