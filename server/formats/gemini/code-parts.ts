// Code that ran at the provider, and what it printed, for formats that have text alone.
import { isObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';

/** Null: the part is something else. */
export function codeOf({ executableCode: code, codeExecutionResult: result }: Readonly<JsonObject>): string | null {
  if (isObject(code)) return fenced(typeof code.language === 'string' ? code.language : '', code.code);
  return isObject(result) ? fenced('output', result.output) : null;
}

function fenced(language: string, text: unknown): string {
  const lines = typeof text === 'string' ? text : '';
  return `\`\`\`${language}\n${lines}${lines.endsWith('\n') ? '' : '\n'}\`\`\`\n`;
}
