import { callIdsWith } from '../vendor-ids.ts';

export const callIds = callIdsWith('call_');
