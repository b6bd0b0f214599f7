// The first call as code, with the real address, key and model. What is the reader's own is told apart from the rest.

export const snippetKinds = ['curl', 'python', 'node'] as const;
export type SnippetKind = (typeof snippetKinds)[number];

export interface SnippetValues {
  /** With `/v1`. */
  baseUrl: string;
  /** With `sk-`; masked for the screen. */
  key: string;
  model: string;
}

/** A piece of code; `isOwn`: the reader's address, key or model. */
export interface SnippetPart {
  text: string;
  isOwn: boolean;
}

const prompt = 'Say hello.';
const templates: Record<SnippetKind, string> = {
  curl: `curl {url}/chat/completions \\
  -H "Authorization: Bearer {key}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "{model}",
    "messages": [{"role": "user", "content": "${prompt}"}]
  }'`,
  python: `# pip install openai
from openai import OpenAI

client = OpenAI(base_url="{url}", api_key="{key}")
answer = client.chat.completions.create(
    model="{model}",
    messages=[{"role": "user", "content": "${prompt}"}],
)
print(answer.choices[0].message.content)`,
  node: `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '{url}', apiKey: '{key}' });
const answer = await client.chat.completions.create({
  model: '{model}',
  messages: [{ role: 'user', content: '${prompt}' }],
});
console.log(answer.choices[0].message.content);`,
};

export function snippetParts(kind: SnippetKind, { baseUrl, key, model }: SnippetValues): SnippetPart[] {
  const values: Record<string, string> = { '{url}': baseUrl, '{key}': key, '{model}': quoted(kind, model) };
  return templates[kind]
    .split(/(\{url\}|\{key\}|\{model\})/)
    .filter((text) => text !== '')
    .map((text) => ({ text: values[text] ?? text, isOwn: text in values }));
}

export function snippetText(kind: SnippetKind, values: SnippetValues): string {
  return snippetParts(kind, values)
    .map(({ text }) => text)
    .join('');
}

/** A model's name is anybody's text: it must end neither the string nor the argument that it stands in. */
function quoted(kind: SnippetKind, model: string): string {
  const json = JSON.stringify(model).slice(1, -1);
  if (kind === 'curl') return json.replaceAll("'", '\\u0027');
  return kind === 'node' ? json.replaceAll('\\"', '"').replaceAll("'", "\\'") : json;
}
