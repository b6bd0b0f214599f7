import type { CallIdRule } from '../call-id-rules.ts';
import { callIdsWith } from '../vendor-ids.ts';

export const callIds = callIdsWith('toolu_');

/** Rule for call ids: Anthropic's pattern, Bedrock's length limit. Ids of `tool_use` blocks must be unique. */
export const callIdRule: CallIdRule = { letters: /^[\w-]+$/, most: 64, areUnique: true };
