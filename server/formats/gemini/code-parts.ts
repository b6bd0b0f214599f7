// Code that ran at the provider and its output, for formats with text only.
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';

/** Returns null for other parts. */
export function codeOf({ executableCode: code, codeExecutionResult: result }: Readonly<JsonObject>): string | null {
  if (isObject(code)) return fenced(typeof code.language === 'string' ? code.language : '', code.code);
  return isObject(result) ? fenced('output', result.output) : null;
}

function fenced(language: string, text: unknown): string {
  const lines = typeof text === 'string' ? text : '';
  return `\`\`\`${language}\n${lines}${lines.endsWith('\n') ? '' : '\n'}\`\`\`\n`;
}
