// Statistics of a model's calls, for later reservations: the output that most responses need, the error of prompt estimates, the
// speed of output, and whether upstreams respect limits. In memory, bounded, one per process.
//
// A single caller cannot distort them: each caller has a few samples, and the value of a model is the median of its callers. The
// median takes too long for every call, so it is cached for a second.

/** How the size of a prompt was determined before the call. `media`: it includes fixed numbers for images, audio or files. */
export type PromptBasis = 'estimated' | 'counted' | 'media';

export interface UsageSample {
  model: string;
  userId: number;
  basis: PromptBasis;
  /** Prompt tokens as expected, before any correction. */
  expected: number;
  /** Reported prompt tokens, weighted by the price of cache writes and reads. */
  prompt: number;
  completion: number;
  /** Whether a limit may have truncated the response, so that its length is no sample. */
  isCut: boolean;
  /** Output limit of all choices that was sent; undefined if none. */
  limit: number | undefined;
  /** Duration of the response in milliseconds. */
  duration: number;
}

export interface LearnedUsage {
  note(sample: UsageSample): void;
  /** Completion tokens that three of four responses do not exceed; undefined without samples. */
  mostResponses(model: string): number | undefined;
  /** Corrects an expected number of prompt tokens. */
  promptTokens(model: string, userId: number, expected: number, basis: PromptBasis): number;
  /** Reports whether there are samples of such prompts. */
  knowsPrompts(model: string, basis: PromptBasis): boolean;
  /** Completion tokens per second; undefined without samples. */
  tokensPerSecond(model: string): number | undefined;
  /** Reports whether an upstream recently exceeded a limit of that caller. Limits of other callers do not count. */
  ignoresLimits(model: string, userId: number): boolean;
}

const mostModels = 2_000;
const mostUsers = 64;
const samplesOfUser = 8;
const ignoredMs = 3_600_000;
/** Tokens below which a prompt is a sample of the constant that is added to prompts; longer ones are samples of the factor. */
const smallPrompt = 64;
const mostAdded = 512;
const mostFactor = 50;

/** Time for which medians are cached; for models with at most `fewUsers` callers, only until the next sample. */
const retentionMs = 1_000;
const fewUsers = 4;

interface Used {
  /** Number of the last use; the entry with the smallest one is removed first. */
  usedAt: number;
}

/** Last samples of a caller. `read`: the largest, or the one that three of four do not exceed. */
interface Samples {
  values: number[];
  read: number | undefined;
}

interface User extends Used {
  samples: Record<Reading, Samples>;
  ignoredUntil: number;
}

type Reading = 'completion' | 'speed' | `added-${PromptBasis}` | `factor-${PromptBasis}`;

interface Model extends Used {
  users: Map<number, User>;
  /** Cached medians. */
  medians: Map<Reading, { value: number | undefined; at: number }>;
}

/** @param now monotonic milliseconds */
export function createLearnedUsage(now: () => number = () => performance.now()): LearnedUsage {
  const { models, known, modelOf, userOf } = createModels();

  /** Returns the lower median of the callers' values. */
  function median(model: Model | undefined, reading: Reading): number | undefined {
    if (model === undefined) return undefined;
    const stored = model.medians.get(reading);
    const time = now();
    if (stored !== undefined && time - stored.at < retentionMs) return stored.value;
    const values: number[] = [];
    for (const user of model.users.values()) {
      const value = user.samples[reading].read;
      if (value !== undefined) values.push(value);
    }
    if (values.length > 1) values.sort((a, b) => a - b);
    const value = values[Math.floor((values.length - 1) / 2)];
    model.medians.set(reading, { value, at: time });
    return value;
  }

  return {
    note(sample) {
      const model = modelOf(sample.model);
      const user = userOf(model, sample.userId);
      if (model.users.size <= fewUsers) model.medians.clear();
      const { basis, expected, prompt, completion, duration, limit } = sample;
      const { samples } = user;
      if (!sample.isCut && completion > 0) addSample(samples.completion, completion, threeOfFour);
      if (completion > 0 && duration > 0) addSample(samples.speed, completion / (duration / 1000), threeOfFour);
      if (expected > 0 && prompt > 0) {
        if (expected < smallPrompt && basis !== 'media')
          addSample(samples[`added-${basis}`], Math.min(mostAdded, Math.max(0, prompt - expected)));
        else addSample(samples[`factor-${basis}`], Math.min(mostFactor, Math.max(1, prompt / expected)));
      }
      if (limit !== undefined && exceedsLimit(completion, limit)) user.ignoredUntil = now() + ignoredMs;
    },
    mostResponses: (name) => median(known(name), 'completion'),
    promptTokens(name, userId, expected, basis) {
      const model = known(name);
      // A caller's earlier prompts resemble the next one most.
      const own = model?.users.get(userId)?.samples;
      const isSmall = expected < smallPrompt && basis !== 'media';
      const factor = isSmall ? 1 : (own?.[`factor-${basis}`].read ?? median(model, `factor-${basis}`) ?? 1);
      const added = basis === 'media' ? 0 : (own?.[`added-${basis}`].read ?? median(model, `added-${basis}`) ?? 0);
      return Math.ceil(expected * factor + added);
    },
    knowsPrompts: (name, basis) => median(known(name), `factor-${basis}`) !== undefined,
    tokensPerSecond: (name) => median(known(name), 'speed'),
    ignoresLimits: (name, userId) => (models.get(name)?.users.get(userId)?.ignoredUntil ?? 0) > now(),
  };
}

/** Reports whether a completion exceeds a limit by more than counting differs. `limit`: tokens of all choices. */
export function exceedsLimit(completion: number, limit: number | undefined): boolean {
  return limit !== undefined && completion > limit * 1.05 + 16;
}

/** Creates the store of models and their callers; the least recently used are removed beyond the maximum. */
function createModels() {
  const models = new Map<string, Model>();
  let uses = 0;

  function known(name: string): Model | undefined {
    const model = models.get(name);
    if (model !== undefined) model.usedAt = uses += 1;
    return model;
  }

  function modelOf(name: string): Model {
    let model = known(name);
    if (model !== undefined) return model;
    if (models.size >= mostModels) deleteLeastUsed(models);
    model = { users: new Map(), medians: new Map(), usedAt: (uses += 1) };
    models.set(name, model);
    return model;
  }

  function userOf(model: Model, id: number): User {
    let user = model.users.get(id);
    if (user === undefined) {
      if (model.users.size >= mostUsers) deleteLeastUsed(model.users);
      user = { samples: noSamples(), ignoredUntil: 0, usedAt: 0 };
      model.users.set(id, user);
    }
    user.usedAt = uses += 1;
    return user;
  }

  return { models, known, modelOf, userOf };
}

function noSamples(): User['samples'] {
  const none = (): Samples => ({ values: [], read: undefined });
  return {
    completion: none(),
    speed: none(),
    'added-estimated': none(),
    'added-counted': none(),
    'added-media': none(),
    'factor-estimated': none(),
    'factor-counted': none(),
    'factor-media': none(),
  };
}

/**
 * Adds a sample.
 * @param readOf computes `read` from the samples; if undefined, the largest
 */
function addSample(samples: Samples, value: number, readOf?: (values: readonly number[]) => number | undefined): void {
  const { values } = samples;
  values.push(value);
  if (values.length > samplesOfUser) values.shift();
  samples.read = readOf === undefined ? Math.max(...values) : readOf(values);
}

function threeOfFour(samples: readonly number[]): number | undefined {
  // Not sorted, because a caller has few samples and sorting would copy them.
  const place = Math.ceil(samples.length * 0.75) - 1;
  for (let index = 0; index < samples.length; index += 1) {
    const value = samples[index] ?? 0;
    let below = 0;
    let equal = 0;
    for (let at = 0; at < samples.length; at += 1) {
      const other = samples[at] ?? 0;
      if (other < value) below += 1;
      else if (other === value) equal += 1;
    }
    if (below <= place && place < below + equal) return value;
  }
  return undefined;
}

function deleteLeastUsed<Key>(map: Map<Key, Used>): void {
  let least: { key: Key; usedAt: number } | undefined;
  for (const [key, { usedAt }] of map) if (least === undefined || usedAt < least.usedAt) least = { key, usedAt };
  if (least !== undefined) map.delete(least.key);
}
