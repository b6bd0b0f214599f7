// Writes `docs/translation.md` from the table of what does not translate; with `--check` only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import type { UpstreamDialect } from '#server/formats/upstream-dialect.ts';
import { translationTable } from '#server/formats/translation-table.ts';
import type { TranslationRow } from '#server/formats/translation-table.ts';

const file = path.resolve(import.meta.dirname, '../docs/translation.md');
const dialects: readonly { name: string; title?: string }[] = [...Object.values(upstreamDialects), ...Object.values(clientDialects)];
const names = new Map(dialects.map(({ name, title = name }): [string, string] => [name, title]));

const head = `# What does not translate

Written by \`node scripts/run-node.mjs scripts/write-translation-doc.ts\` from \`server/formats/translation-table.ts\`; a test tries every row.

A call whose model is served in the format that its caller speaks passes through as it is, unknown fields included. Otherwise it is
translated, and this is what the other format has no place for. **Refused**: the answer is 400 \`untranslatable\` with the field's name,
nothing is sent and nothing charged. **Dropped**: the call goes on without the field, and the response names it in
\`x-tidegate-dropped\`, the log row in its details. Fields that neither format knows are dropped and named, too.

A limit of tokens beyond what the model can write (\`server/money/data/max-output-tokens.json\`) is lowered to that.

What is done here is not dropped: conversations of Responses are shortened beyond a \`compact_threshold\` of \`context_management\`, whoever
answers them, and so are those of Claude by \`compact_20260112\` and \`compaction\`, from which old results of tools and thoughts are cleared, too.
Claude's \`compaction\` blocks are read by every model; items of that name in Responses by ours and OpenAI's alone.
`;

const pairs = new Map<string, TranslationRow[]>();
for (const row of translationTable) {
  const pair = `${names.get(row.from) ?? row.from} → ${names.get(row.to) ?? row.to}`;
  pairs.set(pair, [...(pairs.get(pair) ?? []), row]);
}
const sections = [...pairs].map(([pair, rows]) => `\n## ${pair}\n\n| Field | | About |\n|---|---|---|\n${rows.map(lineOf).join('')}`);

const unmappedHead = `
## What responses say to callers of the same format alone

Where both ends speak one format, a response passes as it is. Otherwise this is what the caller does not hear of, by the names that the
vendor's packages have; a test finds every member of them (\`tests/conformance/vendor-members.test.ts\`). What stands within a member goes with it.
`;
const upstreams: readonly UpstreamDialect[] = Object.values(upstreamDialects);
const unmappedFields = upstreams.flatMap(({ name, unmappedFields: members }) => {
  if (members === undefined) return [];
  const rows = [...linesOfMembers(members.whole), ...linesOfMembers(members.events, 'in streams: ')];
  return [`\n### ${names.get(name) ?? name}\n\n| Why | Members |\n|---|---|\n${rows.join('')}`];
});
const text = head + unmappedHead + unmappedFields.join('') + sections.join('');

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  process.stdout.write('docs/translation.md does not match the table: run scripts/write-translation-doc.ts\n');
  process.exit(1);
}

function linesOfMembers(reasons: Readonly<Record<string, readonly string[]>>, where = ''): string[] {
  return Object.entries(reasons).map(([why, members]) => `| ${where}${why} | ${members.map((member) => `\`${member}\``).join(', ')} |\n`);
}

function lineOf({ field, treatment, about }: TranslationRow): string {
  return `| \`${field}\` | ${treatment} | ${about} |\n`;
}
