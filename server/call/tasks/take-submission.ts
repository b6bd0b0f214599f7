// Everything before money is asked for: who hands it in, the body, whether the key may ask for it, and whether a channel takes it.
import { boundaryOf } from '#server/framing/multipart.ts';
import type { MultipartFields } from '#server/formats/multipart-body.ts';
import type { CriticalMembers } from '#server/formats/critical-members.ts';
import type { Connection } from '#server/http/connection.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { readContent } from '#server/call/admission/read-content.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { NotedCall } from './answer-tasks.ts';
import type { Submission } from './submission.ts';
import { submitTask } from './submit-task.ts';
import type { TaskAnswer } from './submit-task.ts';
import { admitCaller } from './task-caller.ts';
import { checkChannels } from './run-attempts.ts';

interface Received extends NotedCall {
  request: Request;
  connection: Connection | null;
  /** Bytes of the body, where it may be less than that of every call. */
  mostBytes?: number;
  /** What of the body is taken in one spelling only. */
  names: CriticalMembers;
  /** It may come as a form, with files. */
  form?: MultipartFields;
  /** Who calls: by a key, or by a session of the console, whose body may name the group that pays. Missing: by a key. */
  callers?: 'keys' | 'sessions';
  /** What is asked for. */
  read(body: RelayBody, userId: number, admission: Admission): Promise<Submission>;
}

/** @throws {AppError} of the key, the body, the model, the words, the rate, the balance; and what `read` and `submitTask` throw */
export async function takeSubmission(services: RelayServices, received: Received): Promise<TaskAnswer> {
  const { request, connection, requestId, progress } = received;
  const { context, gate, sessions } = services;
  const startedAt = performance.now();
  const isOfSession = received.callers === 'sessions';
  const caller = isOfSession ? await sessions.admit({ request, connection, progress }) : await admitCaller(services, request, connection);
  const limit = Math.min(context.env.MAX_REQUEST_BODY_MB * 1_000_000, received.mostBytes ?? Infinity);
  const userId = caller.user.id;
  const boundary = received.form === undefined ? undefined : boundaryOf(request.headers.get('content-type'));
  const form =
    received.form === undefined || boundary === undefined ? undefined : { boundary, fields: received.form, names: received.names };
  const content = await readContent(context.bodies, { request, connection, limit, userId, names: received.names, form });
  try {
    const admission = isOfSession ? sessions.inGroup(caller, content.body) : caller;
    if (isOfSession) progress.caller = admission;
    const submission = await received.read(content.body, userId, admission);
    received.onModel(submission.model);
    gate.checkModel(admission, submission.model);
    if (submission.origin === null) checkChannels(services, admission, submission);
    if (services.words.isOn) await services.words.check([submission.prompt, ...(submission.texts ?? [])], (work) => content.use(work));
    const rate = services.rates.enter(userId);
    const pass = rate === null ? null : await rate;
    return await submitTask({ services, admission, submission, content, requestId, pass, startedAt });
  } finally {
    content.release();
  }
}
