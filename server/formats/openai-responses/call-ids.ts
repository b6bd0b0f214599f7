import type { CallIdRule } from '../call-id-rules.ts';
import { callIdsWith } from '../vendor-ids.ts';

export const callIds = callIdsWith('call_');

/** https://platform.openai.com/docs/api-reference/responses/create: `call_id` has 64 characters at the most. */
export const callIdRule: CallIdRule = { most: 64 };
