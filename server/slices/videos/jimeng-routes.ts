// Jimeng's single path: the query names the action.
import { ownerIn } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { badField } from '#server/framing/strict-fields.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { readContent } from '#server/call/admission/read-content.ts';
import type { RelayServices } from '#server/call/services.ts';
import { answerTasks, languageFor } from '#server/call/tasks/answer-tasks.ts';
import { identifyCaller } from '#server/call/tasks/task-caller.ts';
import { findVideo } from './find-video.ts';
import { jimengAnswer, jimengNames, jimengObject, jimengRefusal, jimengTaken, readJimeng, taskIn } from './jimeng-caller.ts';
import { openAddress } from './open-address.ts';
import { order } from './take-order.ts';

const questionBytes = 100_000;

export function mountJimeng(host: RouteHost, services: RelayServices): void {
  const { context } = services;
  host.add('POST', '/jimeng', (request, params, connection) =>
    answerTasks(services, { request, connection, refusal: jimengRefusal }, async (noted) => {
      const { url } = host.facts(request, connection);
      const action = url.searchParams.get('Action');
      if (action === 'CVSync2AsyncSubmitTask') {
        const requested = { request, connection, params, url };
        return jimengAnswer(
          await order(services, requested, { ...noted, names: jimengNames, read: readJimeng, answer: jimengTaken }),
          noted.requestId,
        );
      }
      const admission = await identifyCaller(services, request, connection);
      if (action === null) throw badField('Action', fieldRules.required);
      if (action !== 'CVSync2AsyncGetResult') throw new AppError('verb_unknown', { path: `/jimeng?Action=${action}` });
      const content = await readContent(context.bodies, {
        request,
        connection,
        limit: questionBytes,
        userId: admission.user.id,
        names: jimengNames,
      });
      content.release();
      const task = await findVideo(context, ownerIn(admission), taskIn(content.body));
      return jimengAnswer(
        { status: 200, body: jimengObject(task, { url: openAddress(services, task), language: languageFor(request) }) },
        noted.requestId,
      );
    }),
  );
}
