// What calls on behalf of an organisation may do.
import { z } from 'zod/mini';
import { isShortList } from '#shared/limit-models.ts';
import { ruleCheck } from '#shared/rule-check.ts';

const Names = z.array(z.string().check(z.minLength(1), z.maxLength(200))).check(z.maxLength(500));

/** What calls may do: within an organisation, a team and a token each narrows the former. Absent: no restriction. */
export const AccessPolicy = z
  .strictObject({
    models: z.optional(Names),
    groups: z.optional(Names),
    /** Addresses and CIDR ranges. */
    addresses: z.optional(z.array(z.string().check(z.minLength(1), z.maxLength(64))).check(z.maxLength(500))),
    /** Nothing of calls is stored: no stored responses, files, batches, vector stores. */
    stores_nothing: z.optional(z.boolean()),
  })
  .check(z.refine(isShortList, ruleCheck('listTooLong')));
export type AccessPolicy = z.infer<typeof AccessPolicy>;
