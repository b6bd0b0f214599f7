// Calls of fine-tuned models. A fine-tuned model belongs to one key of one channel, whose provider has another name for it. Only its
// owner finds it.
import { isOwned, ofOwner, ownerIn } from '#server/tokens/object-owner.ts';
import { LRUCache } from 'lru-cache';
import { AppError } from '#shared/errors.ts';
import { ChannelStatus } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import type { TunedModelRecord } from '#server/db/records/tuned-model.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { CallStage, PrivateModel, StageRun } from '#server/call/stages.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import { channelBehind } from '#server/exchange/key-behind.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';
import { isTunedModelId, readTunedModelId } from '#server/model-facts/tuned-model-id.ts';

type Services = Pick<AppContext, 'db' | 'channels' | 'secrets' | 'now' | 'changes' | 'onClose'>;

/** Kinds of calls that fine-tuned models take. */
const kinds: ReadonlySet<string> = new Set(['chat', 'completions']);
/** Milliseconds for which a name without a model is stored: another process may have created the model. */
const retentionMs = 1000;
const mostStored = 1000;
/** Names in a list of models. */
const mostNames = 1000;

export function fineTuningStage(services: Services): CallStage {
  const { db, changes, now, onClose } = services;
  const known = new LRUCache<string, { record: TunedModelRecord | null }>({
    max: mostStored,
    ttl: retentionMs,
    ttlResolution: 0,
    perf: { now },
  });
  const stopListening = changes.listen('tuned_model', (name) => void known.delete(String(name)));
  onClose(() => Promise.resolve(stopListening()));

  async function read(name: string): Promise<TunedModelRecord | null> {
    const stored = known.get(name);
    if (stored !== undefined) return stored.record;
    const record = await db.collection('tuned_models').get(name);
    known.set(name, { record });
    return record;
  }

  async function find(admission: Admission, name: string): Promise<PrivateModel | null> {
    const { model, step } = readTunedModelId(name);
    const record = await read(model);
    if (record === null || !isOwned(record, ownerIn(admission)) || record.state !== 'ready') return null;
    const upstreamModel = step === undefined ? record.upstream_model : record.checkpoints.find((one) => one.step === step)?.upstream_model;
    if (upstreamModel === undefined) return null;
    const channel = channelWith(services, record);
    if (channel === null) throw new AppError('own_model_gone', { model: name }, { field: 'model' });
    if (admission.pinnedChannel !== undefined && admission.pinnedChannel !== channel.id) return null;
    if (!isUsable(channel, admission)) throw new AppError('no_channel', { group: admission.group, model: name }, { retryAfter: 5 });
    return { name, base: record.base, upstreamModel, channel: routedTo(channel, record.base, upstreamModel) };
  }

  return {
    name: 'fine-tuning',
    applies: ({ kind }) => kinds.has(kind.name),
    findModel: (admission, model) => (isTunedModelId(model) ? find(admission, model) : null),
    async modelsOf(admission) {
      const sort = [
        ['created_at', 1],
        ['id', 1],
      ] as const;
      const all = await db.collection('tuned_models').find(ofOwner(ownerIn(admission)), { sort, limit: mostNames });
      const isReachable = (record: TunedModelRecord) => {
        const channel = record.state === 'ready' ? channelWith(services, record) : null;
        return channel !== null && isUsable(channel, admission);
      };
      return all.filter(isReachable).map(({ id }) => id);
    },
    open: ({ privateModel }) => (privateModel === null ? null : new TunedModelRun(privateModel)),
  };
}

class TunedModelRun implements StageRun {
  readonly only: PreparedChannel;
  readonly #model: PrivateModel;

  constructor(model: PrivateModel) {
    this.only = model.channel;
    this.#model = model;
  }

  response(bytes: Buffer): Buffer {
    return bytes.includes(this.#model.upstreamModel) ? Buffer.from(this.#restored(bytes.toString('utf8'))) : bytes;
  }

  failure(failure: UpstreamFailure): UpstreamFailure {
    const { message, param, code } = failure;
    const restored = (text: string) => this.#restored(text);
    return { ...failure, message: restored(message), param: restored(param), code: typeof code === 'string' ? restored(code) : code };
  }

  #restored(text: string): string {
    const { name, upstreamModel } = this.#model;
    return text.replaceAll(upstreamModel, () => name);
  }
}

/** Returns null if the channel or its key is gone. */
function channelWith({ channels, secrets }: Services, { channel_id: id, key }: TunedModelRecord): PreparedChannel | null {
  return channelBehind({ channels, secrets }, id, key) ?? null;
}

function isUsable({ status, problem, groups }: PreparedChannel, { group, pinnedChannel }: Admission): boolean {
  return status === ChannelStatus.enabled && problem === null && (pinnedChannel !== undefined || groups.includes(group));
}

/** The channel with the routes of the base model, under the provider's name of the fine-tuned one. */
function routedTo(channel: PreparedChannel, base: string, upstreamModel: string): PreparedChannel {
  const renamed = (route: ChannelRoute): ChannelRoute => ({
    ...route,
    upstreamModel,
    nameThere: upstreamModel,
    ...(route.otherwise === undefined ? {} : { otherwise: renamed(route.otherwise) }),
    ...(route.withFunctions === undefined ? {} : { withFunctions: renamed(route.withFunctions) }),
  });
  return {
    ...channel,
    route(client, kind, _model, address) {
      const route = kinds.has(kind) ? channel.route(client, kind, base, address) : null;
      return route === null || route.isInPieces ? null : renamed(route);
    },
  };
}
