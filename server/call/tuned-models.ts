// Models that were trained for a caller (`server/slices/fine-tuning/`). Each lies behind one key of one channel, whose provider knows it by another name;
// nobody but its owner finds it.
import { LRUCache } from 'lru-cache';
import { AppError } from '#shared/errors.ts';
import { ChannelStatus } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import type { TunedModelRecord } from '#server/db/records/tuned-model.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { keyBehind } from '#server/exchange/key-behind.ts';
import { isTunedModelId, readTunedModelId } from '#server/model-facts/tuned-model-id.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';

export interface TunedModel {
  /** As its owner calls it. */
  name: string;
  /** What it was trained from at first. */
  base: string;
  /** As its provider knows it. */
  upstreamModel: string;
  /** The only one where it is, as a channel that knows it by its name here. */
  channel: PreparedChannel;
}

export interface TunedModels {
  /** Null: it is none of this user's, or channels serve a model of that name. @throws {AppError} `own_model_gone`, `no_channel` */
  find(admission: Admission, model: string): Promise<TunedModel | null> | null;
  /** Those of a user, the newest last; not those that its group cannot reach. */
  namesOf(admission: Admission): Promise<string[]>;
  /** It has changed here. */
  forget(name: string): void;
}

type Looking = Pick<AppContext, 'db' | 'channels' | 'secrets' | 'now'>;

/** As long as other changes take to be heard of in other processes. */
const retentionMs = 1000;
const mostStored = 1000;
/** Told in a list. */
const mostNames = 1000;

export function createTunedModels(context: Looking): TunedModels {
  const { db, channels, now } = context;
  const known = new LRUCache<string, { record: TunedModelRecord | null }>({
    max: mostStored,
    ttl: retentionMs,
    ttlResolution: 0,
    perf: { now },
  });

  async function read(name: string): Promise<TunedModelRecord | null> {
    const stored = known.get(name);
    if (stored !== undefined) return stored.record;
    const record = await db.collection('tuned_models').get(name);
    known.set(name, { record });
    return record;
  }

  async function find(admission: Admission, model: string): Promise<TunedModel | null> {
    const { model: name, step } = readTunedModelId(model);
    const record = await read(name);
    if (record === null || record.user_id !== admission.user.id || record.state !== 'ready') return null;
    const upstreamModel = step === undefined ? record.upstream_model : record.checkpoints.find((one) => one.step === step)?.upstream_model;
    if (upstreamModel === undefined) return null;
    const channel = reach(context, record);
    if (channel === null) throw new AppError('own_model_gone', { model }, { field: 'model' });
    if (admission.pinnedChannel !== undefined && admission.pinnedChannel !== channel.id) return null;
    if (!isUsable(channel, admission)) throw new AppError('no_channel', { group: admission.group, model }, { retryAfter: 5 });
    return { name: model, base: record.base, upstreamModel, channel: channelOf(channel, record.base, upstreamModel) };
  }

  return {
    find(admission, model) {
      if (!isTunedModelId(model) || channels.tiers(admission.group, model).length > 0) return null;
      return find(admission, model);
    },
    async namesOf(admission) {
      const sort = [
        ['created_at', 1],
        ['id', 1],
      ] as const;
      const all = await db.collection('tuned_models').find({ user_id: admission.user.id }, { sort, limit: mostNames });
      const isThere = (record: TunedModelRecord) => {
        const channel = record.state === 'ready' ? reach(context, record) : null;
        return channel !== null && isUsable(channel, admission);
      };
      return all.filter(isThere).map(({ id }) => id);
    },
    forget: (name) => void known.delete(name),
  };
}

/** What its provider says of it, with its name here: a whole body, or whole events. */
export function underTunedId(own: TunedModel | null, said: Buffer): Buffer {
  if (own === null || !said.includes(own.upstreamModel)) return said;
  return Buffer.from(textUnderTunedId(own, said.toString('utf8')));
}

export function failureUnderTunedId(own: TunedModel | null, failure: UpstreamFailure): UpstreamFailure {
  if (own === null) return failure;
  const { message, param, code } = failure;
  const reported = (text: string) => textUnderTunedId(own, text);
  return { ...failure, message: reported(message), param: reported(param), code: typeof code === 'string' ? reported(code) : code };
}

function textUnderTunedId({ name, upstreamModel }: TunedModel, text: string): string {
  return text.replaceAll(upstreamModel, () => name);
}

/** Null: not behind a key that this installation has. */
function reach({ channels, secrets }: Looking, { channel_id: id, key }: TunedModelRecord): PreparedChannel | null {
  const channel = channels.get(id);
  return channel === undefined || keyBehind(secrets, channel) !== key ? null : channel;
}

function isUsable({ status, problem, groups }: PreparedChannel, { group, pinnedChannel }: Admission): boolean {
  return status === ChannelStatus.enabled && problem === null && (pinnedChannel !== undefined || groups.includes(group));
}

/** What it does and how it is asked is as with its base; only the name differs. */
function channelOf(channel: PreparedChannel, base: string, upstreamModel: string): PreparedChannel {
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

/** What trained models are asked for. */
const kinds: ReadonlySet<string> = new Set(['chat', 'completions']);
