import { z } from 'zod/mini';

/** What a row says of sound and of pictures. */
export const mediaFields = {
  /** Of a call with audio input or output: its audio tokens, and their ratios; the last is relative to the model's ratio. */
  audio: z.optional(z.boolean()),
  audio_input: z.optional(z.int()),
  audio_output: z.optional(z.int()),
  text_input: z.optional(z.int()),
  text_output: z.optional(z.int()),
  audio_ratio: z.optional(z.number()),
  audio_completion_ratio: z.optional(z.number()),
  audio_output_ratio: z.optional(z.number()),
  /** Of `cache_tokens`, what was audio and what were pictures, where those have prices of their own there. */
  audio_cache_tokens: z.optional(z.int()),
  audio_cache_ratio: z.optional(z.number()),
  image_cache_tokens: z.optional(z.int()),
  image_cache_ratio: z.optional(z.number()),
  /** The same as above of pictures, where they have a price of their own. */
  image_input: z.optional(z.int()),
  image_output: z.optional(z.int()),
  image_ratio: z.optional(z.number()),
  image_output_ratio: z.optional(z.number()),
};
