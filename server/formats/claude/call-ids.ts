import type { CallIdRule } from '../call-id-rules.ts';
import { callIdsWith } from '../vendor-ids.ts';

export const callIds = callIdsWith('toolu_');

/** Anthropic's pattern and the length limit of Bedrock, a host of the format. `tool_use` ids must be unique. */
export const callIdRule: CallIdRule = { letters: /^[\w-]+$/, most: 64, areUnique: true };
