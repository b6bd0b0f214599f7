// Deletes fine-tuned models on request, and those of deleted users.
import { type ObjectOwner, ofOwner } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { TunedModelRecord } from '#server/db/records/tuned-model.ts';
import { type TurnBounds, turnBounds } from '#server/work/poll-in-turn.ts';
import { channelOf, deleteThere, type Requesting } from '#server/objects/upstream-files.ts';

const atOnce = 100;

/**
 * The owner no longer has the model. If the provider fails to delete it now, the job does.
 * @throws {AppError} `model_not_found` for models of other users
 */
export async function deleteModel(context: AppContext, owner: ObjectOwner, name: string): Promise<object> {
  const left = await context.db
    .collection('tuned_models')
    .patch({ id: name, ...ofOwner(owner), state: 'ready' }, { set: { state: 'leaving' } });
  if (left === null) throw new AppError('model_not_found', { model: name }, { field: 'model' });
  await context.changes.announce('tuned_model', name);
  context.waitUntil(release(context, left));
  return { id: name, object: 'model', deleted: true };
}

async function release(context: AppContext & Requesting, record: TunedModelRecord): Promise<'gone' | 'left' | 'silent'> {
  const channel = channelOf(context, record);
  // With another key it cannot be reached.
  const outcome = channel === null ? 'gone' : await deleteThere(context, channel, `/models/${encodeURIComponent(record.upstream_model)}`);
  if (outcome === 'gone') await context.db.collection('tuned_models').remove({ id: record.id, state: 'leaving' });
  return outcome;
}

/** Job. Skips a provider after a timeout. */
export async function sweepTunedModels(context: AppContext, { runMs, questionMs }: TurnBounds = turnBounds): Promise<void> {
  const models = context.db.collection('tuned_models');
  const end = performance.now() + runMs;
  await leaveDeleted(context);
  const silent = new Set<number>();
  for (let after = ''; performance.now() < end;) {
    const some = await models.find({ state: 'leaving', id: { gt: after } }, { sort: [['id', 1]], limit: atOnce });
    for (const record of some) {
      if (performance.now() > end) return;
      if (silent.has(record.channel_id)) continue;
      const outcome = await release({ ...context, answerBy: performance.now() + questionMs }, record);
      if (outcome === 'silent') silent.add(record.channel_id);
    }
    const last = some.at(-1);
    if (last === undefined || some.length < atOnce) return;
    after = last.id;
  }
}

/** Deletes the models of deleted users. */
async function leaveDeleted({ db }: AppContext): Promise<void> {
  const models = db.collection('tuned_models');
  for (const { user_id: id } of await models.group({ filter: { state: 'ready' }, by: ['user_id'] })) {
    const user = await db.collection('users').get(Number(id));
    if (user === null || user.DeletedAt !== null)
      await models.patchAll({ user_id: Number(id), state: 'ready' }, { set: { state: 'leaving' } });
  }
}
