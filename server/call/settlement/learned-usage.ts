// Statistics of a model's calls, for its next ones: the output that most of them need, the error of prompt estimates, the speed of output, and
// whether its upstreams respect limits. In memory, bounded, one per process.
//
// No single caller can distort them: every caller has a few samples, and a model's value is the median over its callers. That median is too
// expensive for every call, so it is cached for a second.

/** How a prompt's size was found before the call. `media`: fixed numbers for images, audio and files are in it. */
export type PromptBasis = 'estimated' | 'counted' | 'media';

export interface UsageSample {
  model: string;
  userId: number;
  basis: PromptBasis;
  /** Prompt tokens as expected, before any correction. */
  expected: number;
  /** As reported by the upstream; weighted by the cost of writing and reading its cache. */
  prompt: number;
  completion: number;
  /** The call was cut at a limit of ours: its response says nothing of what it needed. */
  isCut: boolean;
  /** Limit on the completion that went upstream, all choices together; undefined without. */
  limit: number | undefined;
  /** Milliseconds of the response. */
  duration: number;
}

export interface LearnedUsage {
  note(sample: UsageSample): void;
  /** Completion tokens that three of four responses of this model do with; undefined when nothing is known. */
  mostResponses(model: string): number | undefined;
  /** Prompt tokens to reckon with where that many are expected. */
  promptTokens(model: string, userId: number, expected: number, basis: PromptBasis): number;
  /** Whether something is known of such prompts of this model. */
  knowsPrompts(model: string, basis: PromptBasis): boolean;
  /** Completion tokens a second; undefined when nothing is known. */
  tokensPerSecond(model: string): number | undefined;
  /** An upstream of this model has lately written more for that caller than it was allowed. What one sends says nothing about others. */
  ignoresLimits(model: string, userId: number): boolean;
}

const mostModels = 2_000;
const mostUsers = 64;
const samplesOfUser = 8;
const ignoredMs = 3_600_000;
/** Prompts below this say how much is added to every prompt, the others by which factor texts are longer. */
const smallPrompt = 64;
const mostAdded = 512;
const mostFactor = 50;

/** What is said of a model lasts so long, unless it has so few callers that it is found at once. */
const retentionMs = 1_000;
const fewUsers = 4;

interface Used {
  /** Number of the last use; the smallest is forgotten first. */
  usedAt: number;
}

/** The last samples of a caller, and what they say: the largest, or what three of four do not exceed. */
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
  /** Result of the last query, valid while there is no new sample and no second has passed. */
  middles: Map<Reading, { value: number | undefined; at: number }>;
}

/** @param now monotonic milliseconds */
export function createLearnedUsage(now: () => number = () => performance.now()): LearnedUsage {
  const { models, known, modelOf, userOf } = createModels();

  /** The lower middle of what its callers say. */
  function middle(model: Model | undefined, reading: Reading): number | undefined {
    if (model === undefined) return undefined;
    const stored = model.middles.get(reading);
    const time = now();
    if (stored !== undefined && time - stored.at < retentionMs) return stored.value;
    const values: number[] = [];
    for (const user of model.users.values()) {
      const value = user.samples[reading].read;
      if (value !== undefined) values.push(value);
    }
    if (values.length > 1) values.sort((a, b) => a - b);
    const value = values[Math.floor((values.length - 1) / 2)];
    model.middles.set(reading, { value, at: time });
    return value;
  }

  return {
    note(sample) {
      const model = modelOf(sample.model);
      const user = userOf(model, sample.userId);
      if (model.users.size <= fewUsers) model.middles.clear();
      const { basis, expected, prompt, completion, duration, limit } = sample;
      const { samples } = user;
      if (!sample.isCut && completion > 0) keep(samples.completion, completion, threeOfFour);
      if (completion > 0 && duration > 0) keep(samples.speed, completion / (duration / 1000), threeOfFour);
      if (expected > 0 && prompt > 0) {
        if (expected < smallPrompt && basis !== 'media')
          keep(samples[`added-${basis}`], Math.min(mostAdded, Math.max(0, prompt - expected)));
        else keep(samples[`factor-${basis}`], Math.min(mostFactor, Math.max(1, prompt / expected)));
      }
      if (limit !== undefined && isBeyond(completion, limit)) user.ignoredUntil = now() + ignoredMs;
    },
    mostResponses: (name) => middle(known(name), 'completion'),
    promptTokens(name, userId, expected, basis) {
      const model = known(name);
      // A caller's own prompts are most like the next one.
      const own = model?.users.get(userId)?.samples;
      const isSmall = expected < smallPrompt && basis !== 'media';
      const factor = isSmall ? 1 : (own?.[`factor-${basis}`].read ?? middle(model, `factor-${basis}`) ?? 1);
      const added = basis === 'media' ? 0 : (own?.[`added-${basis}`].read ?? middle(model, `added-${basis}`) ?? 0);
      return Math.ceil(expected * factor + added);
    },
    knowsPrompts: (name, basis) => middle(known(name), `factor-${basis}`) !== undefined,
    tokensPerSecond: (name) => middle(known(name), 'speed'),
    ignoresLimits: (name, userId) => (models.get(name)?.users.get(userId)?.ignoredUntil ?? 0) > now(),
  };
}

/** A little more is a difference of counting. `limit`: tokens of all choices together. */
export function isBeyond(completion: number, limit: number | undefined): boolean {
  return limit !== undefined && completion > limit * 1.05 + 16;
}

/** Models and their callers; the least used are forgotten where there are too many. */
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
    model = { users: new Map(), middles: new Map(), usedAt: (uses += 1) };
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

/** @param readOf what the samples say; their largest if undefined */
function keep(samples: Samples, value: number, readOf?: (values: readonly number[]) => number | undefined): void {
  const { values } = samples;
  values.push(value);
  if (values.length > samplesOfUser) values.shift();
  samples.read = readOf === undefined ? Math.max(...values) : readOf(values);
}

function threeOfFour(samples: readonly number[]): number | undefined {
  // The samples of one caller are few: nothing is copied to find the one at that place.
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
