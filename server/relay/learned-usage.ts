// What the calls of a model tell about its next ones: how much of an answer most of them need, how far estimates of prompts
// fall short, how fast it writes, and whether its upstreams keep to limits. In memory, bounded, one process each.
//
// One caller must not spoil it for the others: every caller has a few samples, and what is said of a model is the middle of
// what its callers say.

/** How a prompt's size was found before the call. `media`: fixed numbers for images, audio and files are in it. */
export type PromptBasis = 'estimated' | 'counted' | 'media';

export interface UsageSample {
  model: string;
  userId: number;
  basis: PromptBasis;
  /** Prompt tokens as expected, before any correction. */
  expected: number;
  /** As the upstream told; weighted by what writing and reading its cache costs. */
  prompt: number;
  completion: number;
  /** The call was cut at a limit of ours: its answer says nothing of what it needed. */
  isCut: boolean;
  /** Limit on the completion that went upstream, all choices together; undefined without. */
  limit: number | undefined;
  /** Milliseconds of the answer. */
  duration: number;
}

export interface LearnedUsage {
  note(sample: UsageSample): void;
  /** Completion tokens that three of four answers of this model do with; undefined when nothing is known. */
  mostAnswers(model: string): number | undefined;
  /** Prompt tokens to reckon with where that many are expected. */
  promptTokens(model: string, userId: number, expected: number, basis: PromptBasis): number;
  /** Whether something is known of such prompts of this model. */
  knowsPrompts(model: string, basis: PromptBasis): boolean;
  /** Completion tokens a second; undefined when nothing is known. */
  tokensPerSecond(model: string): number | undefined;
  /** An upstream of this model has lately written more than it was allowed. */
  ignoresLimits(model: string): boolean;
}

const mostModels = 2_000;
const mostUsers = 64;
const samplesOfUser = 8;
const ignoredMs = 3_600_000;
/** Prompts below this say how much is added to every prompt, the others by which factor texts are longer. */
const smallPrompt = 64;
const mostAdded = 512;
const mostFactor = 50;

interface User {
  completions: number[];
  speeds: number[];
  added: Record<PromptBasis, number[]>;
  factors: Record<PromptBasis, number[]>;
}

interface Model {
  users: Map<number, User>;
  ignoredUntil: number;
}

export function createLearnedUsage(): LearnedUsage {
  const models = new Map<string, Model>();

  function modelOf(name: string): Model {
    let model = models.get(name);
    if (model !== undefined) return model;
    if (models.size >= mostModels) deleteOldest(models);
    model = { users: new Map(), ignoredUntil: 0 };
    models.set(name, model);
    return model;
  }

  function userOf(model: Model, id: number): User {
    let user = model.users.get(id);
    if (user !== undefined) return user;
    if (model.users.size >= mostUsers) deleteOldest(model.users);
    const lists = () => ({ estimated: [], counted: [], media: [] });
    user = { completions: [], speeds: [], added: lists(), factors: lists() };
    model.users.set(id, user);
    return user;
  }

  /** The lower middle of what its callers say. */
  function middle(name: string, read: (user: User) => number | undefined): number | undefined {
    const values: number[] = [];
    for (const user of models.get(name)?.users.values() ?? []) {
      const value = read(user);
      if (value !== undefined) values.push(value);
    }
    return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
  }

  /** A caller's own prompts are most like the next one. */
  function ownOrMiddle(name: string, userId: number, read: (user: User) => number | undefined): number | undefined {
    const user = models.get(name)?.users.get(userId);
    return (user === undefined ? undefined : read(user)) ?? middle(name, read);
  }

  return {
    note(sample) {
      const model = modelOf(sample.model);
      const user = userOf(model, sample.userId);
      const { basis, expected, prompt, completion, duration, limit } = sample;
      if (!sample.isCut && completion > 0) keep(user.completions, completion);
      if (completion > 0 && duration > 0) keep(user.speeds, completion / (duration / 1000));
      if (expected > 0 && prompt > 0) {
        if (expected < smallPrompt && basis !== 'media') keep(user.added[basis], Math.min(mostAdded, Math.max(0, prompt - expected)));
        else keep(user.factors[basis], Math.min(mostFactor, Math.max(1, prompt / expected)));
      }
      // A little more is a difference of counting.
      if (limit !== undefined && completion > limit * 1.05 + 16) model.ignoredUntil = performance.now() + ignoredMs;
    },
    mostAnswers: (model) => middle(model, (user) => quantile(user.completions)),
    promptTokens(model, userId, expected, basis) {
      const factor = ownOrMiddle(model, userId, (user) => largest(user.factors[basis])) ?? 1;
      const added = basis === 'media' ? 0 : (ownOrMiddle(model, userId, (user) => largest(user.added[basis])) ?? 0);
      return Math.ceil((expected < smallPrompt && basis !== 'media' ? expected : expected * factor) + added);
    },
    knowsPrompts: (model, basis) => middle(model, (user) => largest(user.factors[basis])) !== undefined,
    tokensPerSecond: (model) => middle(model, (user) => quantile(user.speeds)),
    ignoresLimits: (model) => (models.get(model)?.ignoredUntil ?? 0) > performance.now(),
  };
}

function keep(samples: number[], value: number): void {
  samples.push(value);
  if (samples.length > samplesOfUser) samples.shift();
}

function largest(samples: readonly number[]): number | undefined {
  return samples.length === 0 ? undefined : Math.max(...samples);
}

function quantile(samples: readonly number[]): number | undefined {
  return samples.toSorted((a, b) => a - b)[Math.ceil(samples.length * 0.75) - 1];
}

function deleteOldest(map: Map<unknown, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
