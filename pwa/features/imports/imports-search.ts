import { z } from 'zod/mini';

/** `run`: the import that is shown; `new`: the form of a new one. If undefined, the one that is under way, or the form. */
export const ImportsSearch = z.object({
  run: z.catch(z.optional(z.union([z.literal('new'), z.coerce.number().check(z.int(), z.positive())])), undefined),
});
export type ImportsSearch = z.infer<typeof ImportsSearch>;
