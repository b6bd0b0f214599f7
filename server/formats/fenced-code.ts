// Code that ran at the provider, and what it printed, for formats whose responses are texts.
import type { HostedCallPart, HostedResultPart } from './parts.ts';

/** Empty for what is no code. */
export function fencedCode(part: HostedCallPart | HostedResultPart): string {
  if (part.kind !== 'code_execution') return '';
  if (part.type === 'hosted_result') return part.output === undefined ? '' : fenced('output', part.output);
  const { code, language } = part.input;
  return typeof code === 'string' ? fenced(typeof language === 'string' ? language : 'python', code) : '';
}

function fenced(language: string, lines: string): string {
  return `\`\`\`${language}\n${lines}${lines.endsWith('\n') ? '' : '\n'}\`\`\`\n`;
}
