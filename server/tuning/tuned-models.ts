// Trained models that their owners do not want any more, or whose owners are gone.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { TunedModelRecord } from '#server/db/records/tuned-model.ts';
import { channelOf } from '#server/files/upstream-files.ts';
import type { RelayServices } from '#server/relay/services.ts';
import { deleteModelThere } from './upstream-jobs.ts';

const atOnce = 100;
/** A run ends about then and the next one goes on. */
const runMs = 60_000;

/** From now on it is nobody's. What the provider does not delete at once, the job does. @throws {AppError} `model_not_found` for every one that is not the user's */
export async function deleteModel({ context, ownModels }: RelayServices, userId: number, name: string): Promise<object> {
  const left = await context.db
    .collection('tuned_models')
    .patch({ id: name, user_id: userId, state: 'ready' }, { set: { state: 'leaving' } });
  if (left === null) throw new AppError('model_not_found', { model: name }, { field: 'model' });
  ownModels.forget(name);
  context.waitUntil(letGo(context, left));
  return { id: name, object: 'model', deleted: true };
}

async function letGo(context: AppContext, record: TunedModelRecord): Promise<void> {
  const channel = channelOf(context, record);
  // With another key nothing of it can be reached.
  const isGone = channel === null || (await deleteModelThere(context, channel, record.upstream_model));
  if (isGone) await context.db.collection('tuned_models').remove({ id: record.id, state: 'leaving' });
}

/** A job. */
export async function sweepTunedModels(context: AppContext): Promise<void> {
  const models = context.db.collection('tuned_models');
  const begin = performance.now();
  await leaveDeleted(context);
  for (let after = ''; performance.now() - begin < runMs;) {
    const some = await models.find({ state: 'leaving', id: { gt: after } }, { sort: [['id', 1]], limit: atOnce });
    for (const record of some) await letGo(context, record);
    const last = some.at(-1);
    if (last === undefined || some.length < atOnce) return;
    after = last.id;
  }
}

/** Of users who are deleted nothing is kept. */
async function leaveDeleted({ db }: AppContext): Promise<void> {
  const models = db.collection('tuned_models');
  for (const { user_id: id } of await models.group({ filter: { state: 'ready' }, by: ['user_id'] })) {
    const user = await db.collection('users').get(Number(id));
    if (user === null || user.DeletedAt !== null)
      await models.patchAll({ user_id: Number(id), state: 'ready' }, { set: { state: 'leaving' } });
  }
}
