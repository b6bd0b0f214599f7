// `/v1/fine_tuning/jobs`: https://platform.openai.com/docs/api-reference/fine-tuning
import { surfaces } from '#server/surfaces/registry.ts';
import { filesAreOff } from '#server/objects/read-upload.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { checkMeans } from '#server/call/admission/admit-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import { listOf, readPage } from '#server/objects/list-items.ts';
import { createServer, type StoredAnswer, type StoredCaller } from '#server/objects/serve-caller.ts';
import { changeJob } from './change-job.ts';
import { createJob } from './create-job.ts';
import { findJob, listJobs, mostJobs } from './job-store.ts';
import { readRequest } from './read-job-request.ts';
import { listOfJob } from './present-events.ts';
import { presentJob } from './present-job.ts';
import { deleteModel } from './tuned-models.ts';

export function mountTuning(host: RouteHost, services: RelayServices): void {
  const { context } = services;
  const serve = createServer(host, services, surfaces.openai);
  const path = '/v1/fine_tuning/jobs';
  const add = (method: string, at: string, work: (caller: StoredCaller) => Promise<StoredAnswer>) =>
    host.addDirect(
      method,
      `${path}${at}`,
      serve((caller) => {
        if (mostJobs(context) === 0) throw filesAreOff(caller.path);
        return work(caller);
      }),
    );
  const jobOf = (caller: StoredCaller) => findJob(context, caller, caller.params['job'] ?? '');

  add('POST', '', async (caller) => {
    await checkMeans(services, caller.admission);
    return { json: presentJob(await createJob(services, caller, readRequest(await caller.readBody()))) };
  });
  add('GET', '', async (caller) => {
    const { limit, after } = readPage(caller.query);
    const found = await listJobs(context, caller, { limit, after, metadata: metadataIn(caller.query) });
    return { json: listOf(found.slice(0, limit).map(presentJob), found.length > limit) };
  });
  add('GET', '/:job', async (caller) => ({ json: presentJob(await jobOf(caller)) }));
  for (const verb of ['cancel', 'pause', 'resume'] as const)
    add('POST', `/:job/${verb}`, async (caller) => ({ json: presentJob(await changeJob(services, await jobOf(caller), verb)) }));
  for (const kind of ['events', 'checkpoints'] as const)
    add('GET', `/:job/${kind}`, async (caller) => ({
      json: await listOfJob(context, await jobOf(caller), kind, readPage(caller.query)),
    }));

  // Fine-tuned models stay available to their owner, whatever the site allows now.
  host.addDirect(
    'DELETE',
    '/v1/models/:model+',
    serve(async (caller) => ({ json: await deleteModel(context, caller, caller.params['model'] ?? '') })),
  );
}

const entryOfMetadata = /^metadata\[(.{1,64})\]$/s;

function metadataIn(query: URLSearchParams): ReadonlyMap<string, string> {
  return new Map(
    [...query].flatMap(([name, value]) => {
      const key = entryOfMetadata.exec(name)?.[1];
      return key === undefined ? [] : [[key, value] as const];
    }),
  );
}
