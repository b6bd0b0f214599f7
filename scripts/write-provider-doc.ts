// Writes `docs/providers.md` from the providers' records; with `--check` only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { channelType } from '#shared/channel-types.ts';
import type { CallKindName } from '#server/kinds/call-kind.ts';
import { callKinds } from '#server/kinds/registry.ts';
import { clientDialects, type UpstreamDialectName, upstreamDialects } from '#server/formats/registry.ts';
import type { Provider, ProviderFormat } from '#server/providers/spec.ts';
import { providers } from '#server/providers/registry.ts';

const file = path.resolve(import.meta.dirname, '../docs/providers.md');

const head = `# What each provider can do

Written by \`node scripts/run-node.mjs scripts/write-provider-doc.ts\` from the records in \`server/providers/\`.

The number is the channel's type. A call goes out in the first of the provider's formats that its caller speaks, else in one that loses little
([translation.md](translation.md)): every format that callers may speak reaches every conversation. Formats in brackets are spoken at the
provider's own address alone, unless the channel's setting \`formats\` names them; those in square brackets only where it does.

`;

const calls: Readonly<Record<CallKindName, string>> = {
  chat: 'conversations',
  completions: 'completions',
  count_tokens: 'counts of tokens',
  embeddings: 'embeddings',
  fim: 'filling a middle',
  images: 'images',
  image_edits: 'edits of images',
  image_variations: 'variations of images',
  moderations: 'moderations',
  realtime: 'realtime',
  rerank: 'reranking',
  speech: 'speech',
  transcriptions: 'transcriptions',
  translations: 'translations',
};
const tasks: Readonly<Record<string, string>> = { midjourney: 'drawings (tasks)', suno: 'music (tasks)' };

const header = ['Type', 'Provider', 'Formats', 'Calls', 'Key', 'Lists models', 'Reports balance'];
const rows = providers.toSorted((a, b) => a.type - b.type).map(rowOf);
const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`);
const unlimited = providers.filter(({ formats }) =>
  formatsOf(formats).some(([name, { takesNoLimit }]) => takesNoLimit === true || upstreamDialects[name].limits.areNone === true),
);
const foot = `
Without a place for a limit of tokens ([why that matters](decisions/0083-providers-without-a-limit.md)): ${unlimited.map(({ name }) => name).join(', ')}.
`;
const text = head + lines.join('') + foot;

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  process.stdout.write('docs/providers.md does not match the records: run scripts/write-provider-doc.ts\n');
  process.exit(1);
}

function rowOf(provider: Provider): string[] {
  const { type, formats, tasks: task, videos, modelList, balance, runsBatches, hosts = [] } = provider;
  const reported = channelType(type);
  const spoken = formatsOf(formats);
  const kinds = Object.values(callKinds).filter(({ name }) => spoken.some(([, { paths }]) => paths[name] !== undefined));
  const does = [
    ...kinds.map(({ name }) => calls[name]),
    ...(task === undefined ? [] : [tasks[task] ?? task]),
    ...(videos === undefined ? [] : ['videos (tasks)']),
    ...(hosts.includes('files') ? ['files'] : []),
    ...(runsBatches === undefined ? [] : ['batches']),
    ...(hosts.includes('vector_stores') ? ['vector stores'] : []),
    ...(hosts.includes('fine_tuning') ? ['fine-tuning'] : []),
  ];
  // Providers without conversations use formats that many share.
  const named = spoken.filter(([, { paths }]) => paths.chat !== undefined || kinds.every(({ name }) => name !== 'chat'));
  return [
    String(type),
    reported?.name ?? provider.name,
    named
      .map(([name, { use }]) => (use === 'by_choice' ? `[${titleOf(name)}]` : use === 'at_home' ? `(${titleOf(name)})` : titleOf(name)))
      .join(', '),
    does.join(', '),
    keyOf(provider),
    modelList === undefined ? '' : 'yes',
    balance === undefined ? '' : 'yes',
  ];
}

function formatsOf(formats: Provider['formats']): [UpstreamDialectName, ProviderFormat][] {
  return Object.entries(formats).flatMap(([name, format]) => (isFormat(name) && format !== undefined ? [[name, format]] : []));
}

function isFormat(name: string): name is UpstreamDialectName {
  return Object.hasOwn(upstreamDialects, name);
}

function titleOf(name: UpstreamDialectName): string {
  const { title } = upstreamDialects[name];
  return title ?? Object.values(clientDialects).find((client) => client.name === name)?.title ?? name;
}

function keyOf({ type, auth }: Provider): string {
  const forms = channelType(type)?.keyForms;
  if (forms !== undefined) return forms.map((form) => `\`${form.replaceAll('|', '\\|')}\``).join(', ');
  if (auth.kind === 'codex') return 'JSON with `access_token` and `account_id`';
  if (auth.kind === 'google') return 'API key, or a file of credentials';
  return auth.kind === 'aws' ? '`AccessKeyId\\|SecretAccessKey\\|Region`, `ApiKey\\|Region`' : 'API key';
}
