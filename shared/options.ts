import { z } from 'zod';
import { endpoint } from '#shared/contract.ts';

/** A setting. Values are texts; a secret's value is always empty and `isSet` tells whether there is one. */
export const Option = z.object({
  key: z.string(),
  value: z.string(),
  revision: z.int(),
  isSet: z.boolean().optional(),
  /** When and by whom it was last changed: unix seconds and a username. Absent while it has its default. */
  updated_at: z.int().optional(),
  updated_by: z.string().optional(),
});
export type Option = z.infer<typeof Option>;

/** `value` absent: ignored. Numbers and booleans count as their text. */
export const OptionInput = z.object({
  key: z.string().min(1).max(200),
  value: z
    .union([z.string().max(1_000_000), z.number(), z.boolean()])
    .transform(String)
    .optional(),
  /** The revision that the edit is based on; when another one is current the answer is `revision_conflict` with it. */
  revision: z.int().optional(),
});
export type OptionInput = z.input<typeof OptionInput>;

export const optionApi = {
  list: endpoint('GET', '/api/option/', { access: 'admin', reply: z.array(Option), summary: 'All settings' }),
  /** Answers the option as it is afterwards. On `revision_conflict`, `data` is the current option. */
  save: endpoint('PUT', '/api/option/', { access: 'admin', body: OptionInput, reply: Option, summary: 'Change one setting' }),
  /** All or nothing. On `revision_conflict`, `data` is the list of current options that conflict. */
  saveMany: endpoint('PUT', '/api/option/batch', {
    access: 'admin',
    body: z.object({ options: z.array(OptionInput).min(1).max(200) }),
    reply: z.array(Option),
    summary: 'Change several settings at once',
  }),
  resetModelRatio: endpoint('POST', '/api/option/rest_model_ratio', { access: 'admin', summary: 'Restore the default model ratios' }),
};
