// The conversation as code that anybody can run with a key of their own: the key is never in it.
import type { OtherFormat } from './other-formats.ts';
import type { ChatBody } from './request-body.ts';

export const exportKinds = ['curl', 'python', 'javascript'] as const;
export type ExportKind = (typeof exportKinds)[number];

/** Where the code looks for the key. */
const keyName = 'TIDEGATE_API_KEY';
/** Fields that the SDKs know; others go in `extra_body` where a library refuses what it does not know. */
const pythonFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'stop',
  'reasoning_effort',
  'response_format',
  'tools',
  'tool_choice',
  'n',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'user',
]);

/** `baseUrl` ends in `/v1`. The group belongs to the key there. */
export function exportCode(kind: ExportKind, { group: _group, ...body }: ChatBody, baseUrl: string): string {
  return writers[kind](body, baseUrl);
}

/** The same call in another format than OpenAI's chat, for a shell: header of the key and address. */
export function exportCall(
  { format, path, body: { group: _group, ...body } }: { format: OtherFormat; path: string; body: Record<string, unknown> },
  baseUrl: string,
): string {
  const root = baseUrl.replace(/\/v1$/, '');
  const address = format === 'gemini' ? `${root}/${path}` : `${baseUrl}/${path}`;
  return `curl ${shellText(address)} \\
${keyHeaders[format].map((header) => `  -H "${header}" \\`).join('\n')}
  -H "Content-Type: application/json" \\
  -d ${shellText(JSON.stringify(body, null, 2))}`;
}

const keyHeaders: Record<OtherFormat, readonly string[]> = {
  'openai-responses': [`Authorization: Bearer $${keyName}`],
  claude: [`x-api-key: $${keyName}`, 'anthropic-version: 2023-06-01'],
  gemini: [`x-goog-api-key: $${keyName}`],
};

const writers: Record<ExportKind, (body: Record<string, unknown>, baseUrl: string) => string> = {
  // Within quotes of the shell a quote is the only character that ends them.
  curl: (body, baseUrl) => `curl ${shellText(`${baseUrl}/chat/completions`)} \\
  -H "Authorization: Bearer $${keyName}" \\
  -H "Content-Type: application/json" \\
  -d ${shellText(JSON.stringify(body, null, 2))}`,
  python: (body, baseUrl) => {
    const known = Object.entries(body).filter(([field]) => pythonFields.has(field));
    const extra = Object.fromEntries(Object.entries(body).filter(([field]) => !pythonFields.has(field)));
    const given = Object.keys(extra).length === 0 ? known : [...known, ['extra_body', extra] as const];
    return `# pip install openai
import os
from openai import OpenAI

client = OpenAI(base_url=${pythonText(baseUrl)}, api_key=os.environ["${keyName}"])
stream = client.chat.completions.create(
${given.map(([field, value]) => `    ${field}=${pythonValue(value, 1)},`).join('\n')}
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`;
  },
  javascript: (body, baseUrl) => `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: process.env.${keyName} });
const stream = await client.chat.completions.create(${javascriptText(body)});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '');`,
};

function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A JSON text is a Python text. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}

function pythonValue(value: unknown, depth: number): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return pythonText(value);
  const indent = '    '.repeat(depth + 1);
  const end = '    '.repeat(depth);
  if (Array.isArray(value)) {
    return value.length === 0 ? '[]' : `[\n${value.map((one) => `${indent}${pythonValue(one, depth + 1)},`).join('\n')}\n${end}]`;
  }
  if (typeof value === 'object') {
    const fields = Object.entries(value).map(([field, one]) => `${indent}${pythonText(field)}: ${pythonValue(one, depth + 1)},`);
    return fields.length === 0 ? '{}' : `{\n${fields.join('\n')}\n${end}}`;
  }
  return typeof value === 'number' ? String(value) : 'None';
}

/** JSON is JavaScript, but for a field that would change the object's own nature. */
function javascriptText(body: Record<string, unknown>): string {
  return JSON.stringify(body, null, 2).replaceAll('"__proto__":', '["__proto__"]:');
}
