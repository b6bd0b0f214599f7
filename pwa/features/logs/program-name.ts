/** Known names of programs, by the beginning of `User-Agent`. Others are shown by that header. */
const programs: Readonly<Record<string, string>> = {
  'claude-cli': 'Claude Code',
  codex_cli_rs: 'Codex',
  codex_exec: 'Codex',
  'codex-tui': 'Codex',
  GeminiCLI: 'Gemini CLI',
  'GeminiCLI-tui': 'Gemini CLI',
  opencode: 'OpenCode',
  QwenCode: 'Qwen Code',
};

/** `claude-cli/2.1.330` is `Claude Code 2.1.330`. */
export function programName(client: string): string {
  const [name = '', version] = client.split('/', 2);
  const known = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (known === undefined) return client;
  return version === undefined ? known : `${known} ${version}`;
}
