// Makes tests/fixtures/vendor-schemas/*.json: what vendors' own packages say that responses consist of, as JSON Schema. Run it after a
// package has been updated: `node scripts/write-vendor-schemas.mjs`. The generator needs a compiler of its own, so it is installed into a
// scratch folder.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const generator = 'ts-json-schema-generator@2.4.0';
const root = new URL('../', import.meta.url).pathname;

/** By the package: what its types are called there, and here. */
const vendors = {
  openai: {
    from: {
      'openai/resources/chat/completions': {
        ChatCompletion: 'ChatCompletion',
        ChatCompletionChunk: 'ChatCompletionChunk',
        ChatCompletionCreateParamsNonStreaming: 'ChatRequest',
      },
      'openai/resources/responses/responses': {
        ResponseCreateParamsNonStreaming: 'ResponsesRequest',
        Response: 'Response',
        ResponseStreamEvent: 'ResponseStreamEvent',
        CompactedResponse: 'CompactedResponse',
      },
      'openai/resources/completions': { Completion: 'Completion' },
      'openai/resources/embeddings': { CreateEmbeddingResponse: 'EmbeddingList' },
      'openai/resources/models': { Model: 'Model' },
    },
    // The package puts it there; it does not travel.
    added: { Response: 'output_text' },
    // Where its documentation shows null for what its type only lets out.
    // https://platform.openai.com/docs/api-reference/responses-streaming
    nullable: { Response: 'usage', CompletionChoice: 'finish_reason' },
  },
  '@anthropic-ai/sdk': {
    from: {
      '@anthropic-ai/sdk/resources/messages/messages': {
        Message: 'Message',
        RawMessageStreamEvent: 'MessageStreamEvent',
        MessageTokensCount: 'TokensCount',
      },
      '@anthropic-ai/sdk/resources/beta/messages/messages': {
        BetaMessage: 'BetaMessage',
        BetaRawMessageStreamEvent: 'BetaMessageStreamEvent',
        MessageCreateParamsNonStreaming: 'MessageRequest',
      },
      '@anthropic-ai/sdk/resources/models': { ModelInfo: 'ModelInfo' },
      '@anthropic-ai/sdk/resources/shared': { ErrorResponse: 'ErrorResponse' },
    },
  },
  '@google/genai': {
    from: {
      '@google/genai': {
        GenerateContentResponse: 'Generated',
        EmbedContentResponse: 'Embedded',
        Model: 'Model',
        GenerationConfig: 'GenerationConfig',
        'Interactions.CreateModelInteractionParamsNonStreaming': 'InteractionRequest',
        'Interactions.Interaction': 'Interaction',
        'Interactions.InteractionSSEEvent': 'InteractionEvent',
      },
    },
    // The class has getters and what the package adds; this is what travels.
    as: {
      Generated: ['candidates', 'createTime', 'modelVersion', 'promptFeedback', 'responseId', 'usageMetadata', 'modelStatus'],
    },
  },
};

const scratch = mkdtempSync(join(tmpdir(), 'tidegate-schemas-'));
const entry = join(root, 'vendor-types.ts');
try {
  writeFileSync(join(scratch, 'package.json'), '{"private":true}');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', generator], { cwd: scratch, stdio: 'inherit' });
  for (const [vendor, { from, as = {}, added = {}, nullable = {} }] of Object.entries(vendors)) {
    writeFileSync(entry, entrySource(from, as));
    const arguments_ = ['-p', entry, '-t', 'Vendor', '-j', 'none', '--no-type-check', '--additional-properties'];
    const tool = join(scratch, 'node_modules/.bin/ts-json-schema-generator');
    const schema = JSON.parse(execFileSync(tool, arguments_, { cwd: root, maxBuffer: 1e9 }).toString());
    const { version } = JSON.parse(readFileSync(join(root, 'node_modules', vendor, 'package.json'), 'utf8'));
    const name = `${vendor.replace('@', '').replace('/', '-')}.json`;
    for (const [type, field] of Object.entries(added)) {
      const { required } = schema.definitions[type];
      required.splice(required.indexOf(field), 1);
    }
    for (const [type, field] of Object.entries(nullable)) {
      const { properties } = schema.definitions[type];
      properties[field] = { anyOf: [properties[field], { type: 'null' }] };
    }
    const definitions = reachable(schema.definitions);
    writeFileSync(join(root, 'tests/fixtures/vendor-schemas', name), `${JSON.stringify({ package: vendor, version, definitions })}\n`);
    console.log(`${name}: ${vendor} ${version}, ${Object.keys(definitions).length} types`);
  }
} finally {
  rmSync(entry, { force: true });
  rmSync(scratch, { recursive: true, force: true });
}

/** One type that has all of them, by the names that they have here. */
function entrySource(from, as) {
  const imports = [];
  const members = [];
  for (const [index, [module, names]] of Object.entries(from).entries()) {
    imports.push(
      // A name with a dot stands in a namespace.
      `import type { ${[...new Set(Object.keys(names).map((name) => name.split('.', 1)[0]))]
        .map((name) => `${name} as T${index}${name}`)
        .join(', ')} } from '${module}';`,
    );
    for (const [name, ours] of Object.entries(names)) {
      const picked = as[ours]?.map((field) => `'${field}'`).join(' | ');
      members.push(`${ours}: ${picked === undefined ? `T${index}${name}` : `Pick<T${index}${name}, ${picked}>`};`);
    }
  }
  return `${imports.join('\n')}\nexport interface Vendor { ${members.join(' ')} }\n`;
}

/** Only what `Vendor` consists of. */
function reachable(definitions) {
  const kept = {};
  const visit = (name) => {
    if (name in kept) return;
    kept[name] = definitions[name];
    for (const [, next] of JSON.stringify(definitions[name]).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g))
      visit(decodeURIComponent(next));
  };
  visit('Vendor');
  return kept;
}
