// Writes code that ran at the provider, and its output, as Markdown for formats with text only.
import type { HostedCallPart, HostedResultPart } from './parts.ts';

/** Returns an empty string for parts without code. */
export function fencedCode(part: HostedCallPart | HostedResultPart): string {
  if (part.kind !== 'code_execution') return '';
  if (part.type === 'hosted_result') return part.output === undefined ? '' : fenced('output', part.output);
  const { code, language } = part.input;
  return typeof code === 'string' ? fenced(typeof language === 'string' ? language : 'python', code) : '';
}

function fenced(language: string, lines: string): string {
  return `\`\`\`${language}\n${lines}${lines.endsWith('\n') ? '' : '\n'}\`\`\`\n`;
}
