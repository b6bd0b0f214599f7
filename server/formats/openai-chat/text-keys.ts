/** Keys with these names appear in chat chunks only where a model's own output stands. */
export const textKeys = /"(?:content|reasoning_content|reasoning|arguments|name|refusal|text)"/g;
