// Templates of the code of a first call, and of programs that make it. Names in braces are filled in by `snippets.ts`.

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

/** How a value is written where it stands. */
export type Language = 'text' | 'shell' | 'powershell' | 'json' | 'python' | 'node';

/**
 * Use of the text: run in a terminal, saved as a program, put into a file, typed into a program's settings; or a script of this server that gets a key
 * of its own for the program, and writes its files.
 */
export type SnippetUse = 'run' | 'script' | 'file' | 'settings' | 'setup' | 'setup_windows';

export interface Block {
  use: SnippetUse;
  /** Of the file; of the settings, the way to them. */
  place?: string;
  language: Language;
  template: string;
}

const prompt = 'Say hello.';

/** Last: the calls that the guide waits for are those of the shown key. */
const setUp = (program: string): readonly [Block, Block] => [
  { use: 'setup', language: 'shell', template: `curl -fsSL {origin}/setup.sh | sh -s -- ${program} --model '{model}'` },
  {
    use: 'setup_windows',
    language: 'powershell',
    template: `& ([scriptblock]::Create((irm {origin}/setup.ps1))) ${program} -Model '{model}'`,
  },
];

export const blocks: Record<SnippetKind, readonly [Block, ...Block[]]> = {
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
    // Its agents, and `/model opus`, request a model of Anthropic by a dated name unless these variables set another.
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
    ...setUp('claude-code'),
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
    ...setUp('codex'),
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
    ...setUp('gemini-cli'),
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
