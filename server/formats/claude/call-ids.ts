import type { CallIdRule } from '../call-id-rules.ts';
import { callIdsWith } from '../vendor-ids.ts';

export const callIds = callIdsWith('toolu_');

/** The pattern is Anthropic's, the length that of Bedrock, which hosts the same format. `tool_use` ids must be unique. */
export const callIdRule: CallIdRule = { letters: /^[\w-]+$/, most: 64, areUnique: true };
