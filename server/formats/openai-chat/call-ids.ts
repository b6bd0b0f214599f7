import type { CallIdRule } from '../call-id-rules.ts';
import { callIdsWith } from '../vendor-ids.ts';

export const callIds = callIdsWith('call_');

/** OpenAI's maximum length: `string too long. Expected a string with maximum length 40`: https://github.com/BerriAI/litellm/issues/11392 */
export const callIdRule: CallIdRule = { most: 40 };
