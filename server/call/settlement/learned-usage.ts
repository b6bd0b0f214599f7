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

interface User extends Used {
  completions: number[];
  speeds: number[];
  added: Record<PromptBasis, number[]>;
  factors: Record<PromptBasis, number[]>;
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
      const value = read(user, reading);
      if (value !== undefined) values.push(value);
    }
    if (values.length > 1) values.sort((a, b) => a - b);
    const value = values[Math.floor((values.length - 1) / 2)];
    model.middles.set(reading, { value, at: time });
    return value;
  }

  /** A caller's own prompts are most like the next one. */
  function ownOrMiddle(model: Model | undefined, userId: number, reading: Reading): number | undefined {
    const user = model?.users.get(userId);
    return (user === undefined ? undefined : read(user, reading)) ?? middle(model, reading);
  }

  return {
    note(sample) {
      const model = modelOf(sample.model);
      const user = userOf(model, sample.userId);
      if (model.users.size <= fewUsers) model.middles.clear();
      const { basis, expected, prompt, completion, duration, limit } = sample;
      if (!sample.isCut && completion > 0) keep(user.completions, completion);
      if (completion > 0 && duration > 0) keep(user.speeds, completion / (duration / 1000));
      if (expected > 0 && prompt > 0) {
        if (expected < smallPrompt && basis !== 'media') keep(user.added[basis], Math.min(mostAdded, Math.max(0, prompt - expected)));
        else keep(user.factors[basis], Math.min(mostFactor, Math.max(1, prompt / expected)));
      }
      if (isBeyond(completion, limit)) user.ignoredUntil = now() + ignoredMs;
    },
    mostResponses: (name) => middle(known(name), 'completion'),
    promptTokens(name, userId, expected, basis) {
      const model = known(name);
      const factor = ownOrMiddle(model, userId, `factor-${basis}`) ?? 1;
      const added = basis === 'media' ? 0 : (ownOrMiddle(model, userId, `added-${basis}`) ?? 0);
      return Math.ceil((expected < smallPrompt && basis !== 'media' ? expected : expected * factor) + added);
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

  function use(entry: Used): void {
    uses += 1;
    entry.usedAt = uses;
  }

  function known(name: string): Model | undefined {
    const model = models.get(name);
    if (model !== undefined) use(model);
    return model;
  }

  function modelOf(name: string): Model {
    let model = known(name);
    if (model !== undefined) return model;
    if (models.size >= mostModels) deleteLeastUsed(models);
    model = { users: new Map(), middles: new Map(), usedAt: 0 };
    use(model);
    models.set(name, model);
    return model;
  }

  function userOf(model: Model, id: number): User {
    let user = model.users.get(id);
    if (user === undefined) {
      if (model.users.size >= mostUsers) deleteLeastUsed(model.users);
      const lists = () => ({ estimated: [], counted: [], media: [] });
      user = { completions: [], speeds: [], added: lists(), factors: lists(), ignoredUntil: 0, usedAt: 0 };
      model.users.set(id, user);
    }
    use(user);
    return user;
  }

  return { models, known, modelOf, userOf };
}

function read(user: User, reading: Reading): number | undefined {
  switch (reading) {
    case 'completion':
      return quantile(user.completions);
    case 'speed':
      return quantile(user.speeds);
    case 'added-estimated':
      return largest(user.added.estimated);
    case 'added-counted':
      return largest(user.added.counted);
    case 'added-media':
      return largest(user.added.media);
    case 'factor-estimated':
      return largest(user.factors.estimated);
    case 'factor-counted':
      return largest(user.factors.counted);
    case 'factor-media':
      return largest(user.factors.media);
  }
}

function keep(samples: number[], value: number): void {
  samples.push(value);
  if (samples.length > samplesOfUser) samples.shift();
}

function largest(samples: readonly number[]): number | undefined {
  return samples.length === 0 ? undefined : Math.max(...samples);
}

function quantile(samples: readonly number[]): number | undefined {
  // The samples of one caller are few: nothing is copied to find the one at that place.
  const place = Math.ceil(samples.length * 0.75) - 1;
  for (const value of samples) {
    let below = 0;
    let equal = 0;
    for (const other of samples) {
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
