// The first call of models that do not chat, as code. A placeholder is the reader's own, as in `snippets.ts`.
import type { CallableKind } from '#pwa/api/chat-models.ts';
import { type FirstCall, firstCallOf } from '#pwa/api/first-call.ts';

export type OtherKind = Exclude<CallableKind, 'chat'>;
type Language = 'curl' | 'python' | 'node';

/** `model`: which of two calls it is, where its name decides. */
export function kindTemplate(kind: OtherKind, language: Language, model: string): string {
  const call = firstCallOf(kind, model);
  return language === 'curl' ? curlOf(kind, call) : wrap[language](kind, programs[kind][language](call));
}

/** A second of silence (see `pwa/api/first-call.ts`), unless there is a recording already. */
const makeRecording = String.raw`[ -f recording.wav ] || {
  printf 'RIFF\244\076\0\0WAVEfmt \20\0\0\0\1\0\1\0\100\37\0\0\200\76\0\0\2\0\20\0data\200\76\0\0'
  head -c 16000 /dev/zero
} > recording.wav
`;

/** File that a response is written to, if a terminal cannot show it. */
const files: Partial<Record<OtherKind, string>> = { picture: 'picture.json', speech: 'speech.mp3' };
/** How to request the result later. */
const follow: Partial<Record<OtherKind, string>> = {
  video: '/v1/videos/ID/content -o video.mp4',
  drawing: '/mj/task/ID/fetch',
  music: '/suno/fetch/ID',
};

function curlOf(kind: OtherKind, { path, body, hasRecording, isModelOmitted }: FirstCall): string {
  const head = `curl {origin}${path} \\\n  -H "Authorization: Bearer {key}" \\\n`;
  if (hasRecording === true) return `${makeRecording}${head}  --form-string 'model={model:shell}' \\\n  -F file=@recording.wav`;
  const into = files[kind] === undefined ? '' : ` \\\n  -o ${files[kind]}`;
  const later = follow[kind];
  const after =
    later === undefined
      ? ''
      : `\n# It takes minutes. Then, with the id of the answer:\n# curl -H "Authorization: Bearer {key}" {origin}${later}`;
  return `${head}  -H "Content-Type: application/json" \\\n  -d '${jsonBody(body, isModelOmitted)}'${into}${after}`;
}

function jsonBody(body: Record<string, unknown>, isModelOmitted = false): string {
  const fields = Object.entries(body).map(([name, value]) => `    "${name}": ${JSON.stringify(value)}`);
  return `{\n${[...(isModelOmitted ? [] : ['    "model": "{model:json}"']), ...fields].join(',\n')}\n  }`;
}

const wrap = {
  python: (kind: OtherKind, text: string) =>
    `# pip install openai\n${kind === 'picture' ? 'import base64\n' : ''}from openai import OpenAI\n\nclient = OpenAI(base_url="{url}", api_key="{key}")\n${text}`,
  node: (kind: OtherKind, text: string) =>
    `// npm install openai\n${nodeImports[kind] ?? ''}import OpenAI from 'openai';\n\nconst client = new OpenAI({ baseURL: '{url}', apiKey: '{key}' });\n${text}`,
};
const nodeImports: Partial<Record<OtherKind, string>> = {
  picture: "import { writeFile } from 'node:fs/promises';\n",
  speech: "import { writeFile } from 'node:fs/promises';\n",
  transcript: "import { createReadStream } from 'node:fs';\n",
};

type Writer = (call: FirstCall) => string;

/** A call that the package has by name. */
function named(method: string, python: string, node: string): Record<'python' | 'node', Writer> {
  return {
    python: ({ body }) => `answer = client.${method}(\n    model="{model}",\n${pythonFields(body)})\n${python}`,
    node: ({ body }) => `const answer = await client.${method}({\n  model: '{model}',\n${nodeFields(body)}});\n${node}`,
  };
}

/** One that it has not: its path and its body. */
const unnamed: Record<'python' | 'node', Writer> = {
  python: ({ path, body, isModelOmitted }) =>
    `answer = client.post(\n    "{origin}${path}",\n    body={${isModelOmitted === true ? '' : '"model": "{model}", '}${JSON.stringify(body).slice(1, -1)}},\n    cast_to=object,\n)\nprint(answer)`,
  node: ({ path, body, isModelOmitted }) =>
    `const answer = await client.post('{origin}${path}', {\n  body: {\n${isModelOmitted === true ? '' : "    model: '{model}',\n"}${nodeFields(body, '    ')}  },\n});\nconsole.log(answer);`,
};

const programs: Record<OtherKind, Record<'python' | 'node', Writer>> = {
  completion: named('completions.create', 'print(answer.choices[0].text)', 'console.log(answer.choices[0].text);'),
  picture: named(
    'images.generate',
    `picture = answer.data[0]
if picture.url:
    print(picture.url)
else:
    open("picture.png", "wb").write(base64.b64decode(picture.b64_json))`,
    `const [picture] = answer.data;
if (picture.url) console.log(picture.url);
else await writeFile('picture.png', Buffer.from(picture.b64_json, 'base64'));`,
  ),
  speech: named(
    'audio.speech.create',
    'answer.write_to_file("speech.mp3")',
    "await writeFile('speech.mp3', Buffer.from(await answer.arrayBuffer()));",
  ),
  transcript: {
    python: () =>
      'answer = client.audio.transcriptions.create(\n    model="{model}",\n    file=open("recording.wav", "rb"),\n)\nprint(answer.text)',
    node: () =>
      "const answer = await client.audio.transcriptions.create({\n  model: '{model}',\n  file: createReadStream('recording.wav'),\n});\nconsole.log(answer.text);",
  },
  embedding: named('embeddings.create', 'print(len(answer.data[0].embedding))', 'console.log(answer.data[0].embedding.length);'),
  rerank: unnamed,
  moderation: named('moderations.create', 'print(answer.results[0].flagged)', 'console.log(answer.results[0].flagged);'),
  video: named('videos.create', 'print(answer.id, answer.status)', 'console.log(answer.id, answer.status);'),
  drawing: unnamed,
  music: unnamed,
};

function pythonFields(body: Record<string, unknown>): string {
  return Object.entries(body)
    .map(([name, value]) => `    ${name}=${JSON.stringify(value)},\n`)
    .join('');
}

/** Texts and numbers alone stand in them, without quotes of their own. */
function nodeFields(body: Record<string, unknown>, indent = '  '): string {
  return Object.entries(body)
    .map(([name, value]) => `${indent}${name}: ${JSON.stringify(value).replaceAll('"', "'")},\n`)
    .join('');
}
