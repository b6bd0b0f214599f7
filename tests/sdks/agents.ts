// Configuration of each agent's endpoint, and the name of its file tool. Telemetry, updates and other calls of its own are off.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ToolCall } from '../support/upstream-behaviour.ts';
import { model as claude } from './open-scene.ts';

/** Where one run takes place. */
export interface Place {
  home: string;
  work: string;
  origin: string;
  key: string;
}

interface Agent {
  name: string;
  /** The format that it speaks. */
  caller: string;
  model: string;
  /** It ends with an error where a stream breaks off, and is run again. */
  endsWhereStreamsBreak?: boolean;
  /** Host that it contacts in spite of its configuration, and does not need. */
  asks?: string;
  readFile(path: string): ToolCall;
  /** Writes its configuration, too. */
  command(place: Place): string[];
  environment(place: Place): Record<string, string>;
}

const prompt = 'Read the file tide.txt and tell me when high water is.';

function program(name: string): string {
  return join(process.env['AGENTS'] ?? '', 'node_modules/.bin', name);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Codex before our port; how it comes by its key is added. */
const codexConfig = (origin: string): readonly string[] => [
  'model_provider = "tidegate"',
  'check_for_update_on_startup = false',
  '[analytics]',
  'enabled = false',
  '[features]',
  'plugins = false',
  'apps = false',
  '[model_providers.tidegate]',
  'name = "Tidegate"',
  `base_url = "${origin}/v1"`,
  'wire_api = "responses"',
];

/** Codex requests the list of models if its key comes from a command. Writes its configuration, too. */
export function codexWithCommand({ home, origin, key }: Place): { program: string; config: string } {
  const config = [...codexConfig(origin), '[model_providers.tidegate.auth]', 'command = "echo"', `args = ["${key}"]`].join('\n');
  write(join(home, '.codex/config.toml'), `${config}\n`);
  return { program: program('codex'), config };
}

export const agents: readonly Agent[] = [
  {
    name: 'Claude Code',
    caller: 'claude',
    model: claude,
    readFile: (path) => ({ name: 'Read', arguments: JSON.stringify({ file_path: path }) }),
    command: () => [program('claude'), '-p', prompt, '--model', claude, '--allowedTools', 'Read'],
    environment: ({ origin, key }) => ({
      ANTHROPIC_BASE_URL: origin,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
  },
  {
    name: 'Codex',
    caller: 'openai-responses',
    model: 'gpt-5.5',
    readFile: (path) => ({ name: 'exec_command', arguments: JSON.stringify({ cmd: `cat ${path}` }) }),
    command({ home, origin }) {
      const config = [...codexConfig(origin), 'env_key = "TIDEGATE_KEY"'];
      write(join(home, '.codex/config.toml'), `${config.join('\n')}\n`);
      const free = '--dangerously-bypass-approvals-and-sandbox';
      return [program('codex'), 'exec', '--skip-git-repo-check', free, '-m', 'gpt-5.5', prompt];
    },
    environment: ({ home, key }) => ({ CODEX_HOME: join(home, '.codex'), TIDEGATE_KEY: key }),
  },
  {
    name: 'Gemini CLI',
    caller: 'gemini',
    model: 'gemini-3-flash-preview',
    readFile: (path) => ({ name: 'read_file', arguments: JSON.stringify({ file_path: path }) }),
    command({ home }) {
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
      };
      write(join(home, '.gemini/settings.json'), JSON.stringify(settings));
      return [program('gemini'), '-m', 'gemini-3-flash-preview', '--approval-mode', 'yolo', '-p', prompt];
    },
    environment: ({ origin, key }) => ({
      GOOGLE_GEMINI_BASE_URL: origin,
      GEMINI_API_KEY: key,
      GEMINI_CLI_CUSTOM_HEADERS: 'x-session-id: 1796000000-1',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
  },
  {
    name: 'OpenCode',
    caller: 'claude',
    model: claude,
    endsWhereStreamsBreak: true,
    // For plugins, of which it has none.
    asks: 'registry.npmjs.org:443',
    readFile: (path) => ({ name: 'read', arguments: JSON.stringify({ filePath: path }) }),
    command({ home, origin, key }) {
      const config = {
        autoupdate: false,
        share: 'disabled',
        model: `anthropic/${claude}`,
        small_model: `anthropic/${claude}`,
        agent: { title: { disable: true } },
        provider: {
          anthropic: { options: { baseURL: `${origin}/v1`, apiKey: key }, models: { [claude]: { name: 'Claude', tool_call: true } } },
        },
      };
      write(join(home, '.config/opencode/opencode.json'), JSON.stringify(config));
      return [program('opencode'), 'run', '--pure', '-m', `anthropic/${claude}`, prompt];
    },
    environment: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    }),
  },
];
