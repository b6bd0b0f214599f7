/** In chat chunks, only model output has these keys. */
export const textKeys = /"(?:content|reasoning_content|reasoning|arguments|name|refusal|text)"/g;
