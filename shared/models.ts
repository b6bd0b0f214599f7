import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';

/** Unit of a price: of a price per call, or of a million units of a price by usage. */
export const PriceUnit = z.enum([
  'call',
  'second',
  'image',
  'minute',
  'characters',
  'search',
  'tokens',
  'million_characters',
  'thousand_minutes',
]);
export type PriceUnit = z.infer<typeof PriceUnit>;

export const PricingEntry = z.object({
  model_name: z.string(),
  /** 0: by usage, 1: per call. */
  quota_type: z.int(),
  model_ratio: z.number(),
  completion_ratio: z.number(),
  cache_ratio: z.number(),
  /**
   * Ratios of cache writes for five minutes, of audio input and output, of picture input and output, relative to the model's ratio. Absent: none is
   * set.
   */
  cache_creation_ratio: z.optional(z.number()),
  audio_ratio: z.optional(z.number()),
  audio_output_ratio: z.optional(z.number()),
  image_ratio: z.optional(z.number()),
  image_output_ratio: z.optional(z.number()),
  /** Of audio and of pictures that are read from the cache, where they do not cost what text from there does. */
  audio_cache_ratio: z.optional(z.number()),
  image_cache_ratio: z.optional(z.number()),
  /** Factors of all that is read and written of prompts with more tokens than `above`, the highest bound first. Absent: length does not matter. */
  long_inputs: z.optional(z.array(z.object({ above: z.int(), input: z.number(), output: z.number() }))),
  /** Factors of all prices in other tiers of the provider, and of kinds of tokens that have others. Absent: there are none. */
  tiers: z.optional(z.array(z.object({ tier: z.string(), factor: z.number(), parts: z.optional(z.record(z.string(), z.number())) }))),
  /** USD per 1,000 runs of tools at the provider, in addition to the tokens; absent: its providers run none, or only free ones. */
  tool_prices: z.optional(z.record(z.string(), z.number())),
  /** USD per second of video by its shorter side in pixels, the lowest first. Absent: the model makes none, or has no prices by resolution. */
  video_prices: z.optional(z.array(z.object({ height: z.int(), price: z.number() }))),
  /** USD per million tokens that the model is trained by, and of what is read and written by one that was. Absent: it cannot be trained. */
  tuning_prices: z.optional(z.object({ training: z.number(), input: z.number(), cached: z.number(), output: z.number() })),
  /** Absent in lists that were stored before the field existed. */
  unit: z.optional(PriceUnit),
  /** USD per call; 0 for models priced by usage. */
  model_price: z.number(),
  owner_by: z.string(),
  enable_groups: z.array(z.string()),
  /**
   * Whether a price or a ratio is set, so that everybody's calls have a price. Without one the ratios are those that such
   * models have where they may be called all the same: in self-use mode, and by users who accept them.
   */
  has_price: z.boolean(),
});
export type PricingEntry = z.infer<typeof PricingEntry>;

export const modelApi = {
  pricing: endpoint('GET', '/api/pricing', {
    access: 'optional',
    reply: z.array(PricingEntry),
    extra: z.object({
      group_ratio: z.record(z.string(), z.number()),
      usable_group: z.record(z.string(), z.string()),
    }),
    summary: 'Prices of the models that enabled channels offer',
  }),
  groups: endpoint('GET', '/api/group/', { access: 'admin', reply: z.array(z.string()), summary: 'Names of all groups' }),
  byType: endpoint('GET', '/api/models', {
    access: 'user',
    organisation: 'member',
    reply: z.record(z.string(), z.array(z.string())),
    summary: 'Built-in model names by channel type',
  }),
};
