// The first call as code, and programs that make it, with the real address, key and model. What is the reader's own is told apart from the rest.

import type { CallableKind } from '#pwa/api/chat-models.ts';
import { kindTemplate } from './kind-snippets.ts';

export const codeKinds = ['curl', 'python', 'node'] as const;
/** Agents and editors first, then libraries. */
export const clientKinds = [
  'claude_code',
  'codex',
  'gemini_cli',
  'opencode',
  'cursor',
  'cline',
  'langchain',
  'anthropic',
  'google',
] as const;
export const snippetKinds = [...codeKinds, ...clientKinds] as const;
export type CodeKind = (typeof codeKinds)[number];
export type ClientKind = (typeof clientKinds)[number];
export type SnippetKind = (typeof snippetKinds)[number];

export interface SnippetValues {
  /** With `/v1`. */
  baseUrl: string;
  /** With `sk-`; masked for the screen. */
  key: string;
  model: string;
  /** What the model is asked for. Programs are for conversations alone. */
  kind: CallableKind;
  /** What Claude Code asks for by the name of a family. */
  claudeModels: ClaudeModels;
  /** All conversations that the key may have, for programs that are given a list. */
  models: readonly string[];
  /** For titles and summaries. */
  smallModel: string;
}

export type ClaudeModels = Readonly<Record<'haiku' | 'sonnet' | 'opus', string>>;

/** A piece of code; `isOwn`: the reader's address, key or model. */
export interface SnippetPart {
  text: string;
  isOwn: boolean;
}

/** How a value is written where it stands. */
type Language = 'text' | 'shell' | 'json' | 'python' | 'node';

/** What is done with the text: run in a terminal, kept as a program, put into a file, typed into a program's settings. */
export type SnippetUse = 'run' | 'script' | 'file' | 'settings';

interface Block {
  use: SnippetUse;
  /** Of the file; of the settings, the way to them. */
  place?: string;
  language: Language;
  template: string;
}

const prompt = 'Say hello.';

const blocks: Record<SnippetKind, readonly [Block, ...Block[]]> = {
  curl: [
    {
      use: 'run',
      language: 'shell',
      template: `curl {url}/chat/completions \\
  -H "Authorization: Bearer {key}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "{model:json}",
    "messages": [{"role": "user", "content": "${prompt}"}]
  }'`,
    },
  ],
  python: [
    {
      use: 'script',
      language: 'python',
      template: `# pip install openai
from openai import OpenAI

client = OpenAI(base_url="{url}", api_key="{key}")
answer = client.chat.completions.create(
    model="{model}",
    messages=[{"role": "user", "content": "${prompt}"}],
)
print(answer.choices[0].message.content)`,
    },
  ],
  node: [
    {
      use: 'script',
      language: 'node',
      template: `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '{url}', apiKey: '{key}' });
const answer = await client.chat.completions.create({
  model: '{model}',
  messages: [{ role: 'user', content: '${prompt}' }],
});
console.log(answer.choices[0].message.content);`,
    },
  ],
  claude_code: [
    // Its agents, and whoever says `/model opus`, ask for a model of Anthropic's, by a name with a date, unless they are told another.
    {
      use: 'run',
      language: 'shell',
      template: `ANTHROPIC_BASE_URL={origin} \\
ANTHROPIC_AUTH_TOKEN={key} \\
ANTHROPIC_MODEL='{model}' \\
ANTHROPIC_DEFAULT_HAIKU_MODEL='{haiku}' \\
ANTHROPIC_DEFAULT_SONNET_MODEL='{sonnet}' \\
ANTHROPIC_DEFAULT_OPUS_MODEL='{opus}' \\
  claude`,
    },
    {
      use: 'file',
      place: '~/.claude/settings.json',
      language: 'json',
      template: `{
  "env": {
    "ANTHROPIC_BASE_URL": "{origin}",
    "ANTHROPIC_AUTH_TOKEN": "{key}",
    "ANTHROPIC_MODEL": "{model}",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL": "{haiku}",
    "ANTHROPIC_DEFAULT_SONNET_MODEL": "{sonnet}",
    "ANTHROPIC_DEFAULT_OPUS_MODEL": "{opus}"
  }
}`,
    },
  ],
  codex: [
    {
      use: 'run',
      language: 'shell',
      template: `TIDEGATE_KEY={key} codex -m '{model}' \\
  -c model_provider=tidegate \\
  -c model_providers.tidegate.name=Tidegate \\
  -c model_providers.tidegate.base_url={url} \\
  -c model_providers.tidegate.wire_api=responses \\
  -c model_providers.tidegate.env_key=TIDEGATE_KEY`,
    },
    {
      use: 'file',
      place: '~/.codex/config.toml',
      language: 'json',
      template: `model = "{model}"
model_provider = "tidegate"

[model_providers.tidegate]
name = "Tidegate"
base_url = "{url}"
wire_api = "responses"
experimental_bearer_token = "{key}"`,
    },
  ],
  gemini_cli: [
    // Without it an address of one's own is taken for a way to sign in that the program refuses.
    {
      use: 'file',
      place: '~/.gemini/settings.json',
      language: 'json',
      template: `{ "security": { "auth": { "selectedType": "gemini-api-key" } } }`,
    },
    {
      use: 'run',
      language: 'shell',
      // It names no session by itself. Each start is one then.
      template: `GOOGLE_GEMINI_BASE_URL={origin} \\
GEMINI_API_KEY={key} \\
GEMINI_CLI_CUSTOM_HEADERS="x-session-id: $(date +%s)-$$" \\
  gemini -m '{model}'`,
    },
    {
      use: 'file',
      place: '~/.gemini/.env',
      language: 'json',
      template: `GOOGLE_GEMINI_BASE_URL="{origin}"
GEMINI_API_KEY="{key}"
GEMINI_MODEL="{model}"`,
    },
  ],
  opencode: [
    {
      use: 'run',
      language: 'shell',
      template: `OPENCODE_CONFIG_CONTENT='{
  "model": "tidegate/{model:json}",
  "small_model": "tidegate/{small:json}",
  "provider": {
    "tidegate": {
      "npm": "@ai-sdk/openai-compatible",
      "options": {"baseURL": "{url}", "apiKey": "{key}"},
      "models": {
        {models:json}
      }
    }
  }
}' opencode`,
    },
    {
      use: 'file',
      place: '~/.config/opencode/opencode.json',
      language: 'json',
      template: `{
  "model": "tidegate/{model}",
  "small_model": "tidegate/{small}",
  "provider": {
    "tidegate": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "{url}", "apiKey": "{key}" },
      "models": {
        {models}
      }
    }
  }
}`,
    },
  ],
  cursor: [
    {
      use: 'settings',
      place: 'Cursor Settings › Models › API Keys',
      language: 'text',
      template: `OpenAI API Key             {key}
Override OpenAI Base URL   {url}
Add Custom Model           {lines:27}`,
    },
  ],
  cline: [
    {
      use: 'settings',
      place: 'Cline › Settings › API Configuration',
      language: 'text',
      template: `API Provider   OpenAI Compatible
Base URL       {url}
API Key        {key}
Model ID       {model}`,
    },
  ],
  langchain: [
    {
      use: 'script',
      language: 'python',
      template: `# pip install langchain-openai
from langchain_openai import ChatOpenAI

model = ChatOpenAI(base_url="{url}", api_key="{key}", model="{model}")
print(model.invoke("${prompt}").content)`,
    },
  ],
  anthropic: [
    {
      use: 'script',
      language: 'python',
      template: `# pip install anthropic
from anthropic import Anthropic

client = Anthropic(base_url="{origin}", api_key="{key}")
answer = client.messages.create(
    model="{model}",
    max_tokens=1024,
    messages=[{"role": "user", "content": "${prompt}"}],
)
for block in answer.content:
    if block.type == "text":
        print(block.text)`,
    },
  ],
  google: [
    {
      use: 'script',
      language: 'python',
      template: `# pip install google-genai
from google import genai

client = genai.Client(api_key="{key}", http_options={"base_url": "{origin}"})
answer = client.models.generate_content(model="{model}", contents="${prompt}")
print(answer.text)`,
    },
  ],
};

/** Of each family the chosen model if it is of that, or the first of `models`, which begin with the best; where there is none, the chosen one. */
export function claudeModelsOf(model: string, models: readonly string[]): ClaudeModels {
  const of = (family: string) => [model, ...models].find((name) => name.toLowerCase().includes(family)) ?? model;
  return { haiku: of('haiku'), sonnet: of('sonnet'), opus: of('opus') };
}

/** How each way to use it is called, and where; the first is the shortest. */
export function snippetUses(kind: SnippetKind): readonly Pick<Block, 'use' | 'place'>[] {
  return blocks[kind];
}

/** `at`: which of the kind's ways. */
export function snippetParts(kind: SnippetKind, values: SnippetValues, at = 0): SnippetPart[] {
  const { language, template } = blockOf(kind, values, at);
  return template
    .split(/(\{(?:url|origin|key|model|haiku|sonnet|opus|small|models|lines:\d+)(?::json|:shell)?\})/)
    .filter((text) => text !== '')
    .flatMap((text) => filled(text, language, values));
}

function filled(text: string, language: Language, values: SnippetValues): SnippetPart[] {
  const [, slot = '', mode = ''] = /^\{(\w+)(?::(\w+))?\}$/.exec(text) ?? [];
  const { baseUrl, key, model, models, claudeModels, smallModel } = values;
  const all = models.length === 0 ? [model] : models;
  // JSON within an argument of a shell.
  const write = (name: string) =>
    mode === 'json' ? quoted('shell', quoted('json', name)) : quoted(mode === 'shell' ? 'shell' : language, name);
  const own = (value: string): SnippetPart[] => [{ text: value, isOwn: true }];
  const joined = (between: string, around: readonly [string, string]): SnippetPart[] =>
    all.flatMap((name, index) => [
      { text: `${index === 0 ? '' : between}${around[0]}`, isOwn: false },
      { text: write(name), isOwn: true },
      { text: around[1], isOwn: false },
    ]);
  switch (slot) {
    case 'url':
      return own(baseUrl);
    case 'origin':
      return own(baseUrl.replace(/\/v1$/, ''));
    case 'key':
      return own(key);
    case 'model':
      return own(write(model));
    case 'small':
      return own(write(smallModel));
    case 'haiku':
    case 'sonnet':
    case 'opus':
      return own(write(claudeModels[slot]));
    // Of an object, one each line.
    case 'models':
      return joined(',\n        ', ['"', '": {}']);
    // One each line, below each other.
    case 'lines':
      return joined(`\n${' '.repeat(Number(mode))}`, ['', '']).filter((part) => part.text !== '');
    default:
      return [{ text, isOwn: false }];
  }
}

function blockOf(kind: SnippetKind, { kind: asked, model }: SnippetValues, at: number): Pick<Block, 'language' | 'template'> {
  const [first, ...further] = blocks[kind];
  const block = further[at - 1] ?? first;
  return asked !== 'chat' && isCode(kind) ? { ...block, template: kindTemplate(asked, kind, model) } : block;
}

function isCode(kind: SnippetKind): kind is CodeKind {
  return kind === 'curl' || kind === 'python' || kind === 'node';
}

export function snippetText(kind: SnippetKind, values: SnippetValues, at = 0): string {
  return snippetParts(kind, values, at)
    .map(({ text }) => text)
    .join('');
}

/** A model's name is anybody's text: it must end neither the string nor the argument that it stands in. */
function quoted(language: Language, model: string): string {
  if (language === 'text') return model;
  if (language === 'shell') return model.replaceAll("'", String.raw`'\''`);
  const json = JSON.stringify(model).slice(1, -1);
  return language === 'node' ? json.replaceAll('\\"', '"').replaceAll("'", "\\'") : json;
}
