// Admits a submission before its price is reserved: the caller, the body, the model, the blocked words, the rate.
import { AppError } from '#shared/errors.ts';
import { inServingGroup } from '#server/call/admission/auto-group.ts';
import { boundaryOf } from '#server/framing/multipart.ts';
import type { MultipartFields } from '#server/formats/multipart-body.ts';
import type { CriticalMembers } from '#server/formats/critical-members.ts';
import type { Connection } from '#server/http/connection.ts';
import { type Admission, checkStorage } from '#server/call/admission/admission.ts';
import { readContent } from '#server/call/admission/read-content.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { NotedCall, TaskAnswer } from '#server/call/tasks/answer-tasks.ts';
import { enterSubmission } from '#server/rate-limits/enter-submission.ts';
import type { Submission } from './submission.ts';
import { submitTask } from './submit-task.ts';
import { admitCaller } from '#server/call/tasks/task-caller.ts';
import { checkChannels } from './run-attempts.ts';

interface Received extends NotedCall {
  request: Request;
  connection: Connection | null;
  /** Maximum bytes of the body, if less than of other calls. */
  mostBytes?: number;
  /** Members of the body that have one spelling only. */
  names: CriticalMembers;
  /** Fields of a form with files; undefined if only JSON is accepted. */
  form?: MultipartFields;
  /** Callers with a key (default), or with a session of the console, whose body may name the group that pays. */
  callers?: 'keys' | 'sessions';
  read(body: RelayBody, userId: number, admission: Admission): Promise<Submission>;
}

/** @throws {AppError} for the key, the body, the model, the words, the rate, the balance; and what `read` and `submitTask` throw */
export async function takeSubmission(services: RelayServices, received: Received): Promise<TaskAnswer> {
  const { request, connection, requestId, progress } = received;
  const { context, gate, sessions } = services;
  const { guard } = services.stages;
  const startedAt = performance.now();
  const isOfSession = received.callers === 'sessions';
  const caller = isOfSession ? await sessions.admit({ request, connection, progress }) : await admitCaller(services, request, connection);
  checkStorage(caller);
  const limit = Math.min(context.env.MAX_REQUEST_BODY_MB * 1_000_000, received.mostBytes ?? Infinity);
  const userId = caller.user.id;
  const boundary = received.form === undefined ? undefined : boundaryOf(request.headers.get('content-type'));
  const form =
    received.form === undefined || boundary === undefined ? undefined : { boundary, fields: received.form, names: received.names };
  const content = await readContent(context.bodies, { request, connection, limit, userId, names: received.names, form });
  try {
    const called = isOfSession ? sessions.inGroup(caller, content.body) : caller;
    if (isOfSession) progress.caller = called;
    const submission = await received.read(content.body, userId, called);
    const admission = inServingGroup(services, called, { model: submission.model });
    received.onModel(submission.model);
    gate.checkModel(admission, submission.model);
    if (submission.origin === null) checkChannels(services, admission, submission);
    if (guard.isOn) await guard.check([submission.prompt, ...(submission.texts ?? [])], (work) => content.use(work));
    const pass = await enterSubmission(context, admission, submission.model);
    try {
      const answer = await submitTask({ services, admission, submission, content, requestId, pass, startedAt });
      pass.end(true);
      return answer;
    } catch (failure) {
      // An error of Tidegate is of a submission that no channel received.
      pass.end(!(failure instanceof AppError));
      throw failure;
    }
  } finally {
    content.release();
  }
}
