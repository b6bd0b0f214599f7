// `npm run test:sdks`, `test:comply`, `test:agents`: tests with software of third parties. It is installed if missing: packages next to the tests,
// programs into a scratch folder of the system's, without access to this machine's user data.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { become, installMissing, root, run, tool, toolEnvironment } from './prepare.mjs';

const complyVersion = '0.5.0';
/** Of these versions the tests know tools, settings and manners. By the name of the program. */
const agents = {
  codex: '@openai/codex@0.169.0',
  claude: '@anthropic-ai/claude-code@2.1.197',
  gemini: '@google/gemini-cli@0.61.0',
  opencode: 'opencode-ai@1.18.33',
};

const [kind, ...rest] = process.argv.slice(2);
const environments = { sdks: () => ({}), comply: installComply, agents: installAgents };
const files = {
  sdks: ['ai', 'langchain', 'openai-agents', 'realtime-agents'].map((name) => `tests/sdks/${name}.test.ts`),
  comply: ['tests/sdks/comply.test.ts'],
  agents: ['tests/sdks/agents.test.ts'],
};

installMissing();
installPackages(path.join(root, 'tests/sdks'));
const environment = { ...toolEnvironment(), ...environments[kind]() };
become(tool('vitest'), ['run', '--config', 'tests/sdks/vitest.config.ts', ...files[kind], ...rest], environment);

/** Installs the packages of the lock file next to `package.json`, if others are installed. */
function installPackages(folder) {
  const list = path.join(folder, 'node_modules/.package-lock.json');
  const wanted = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8')).packages;
  const installed = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')).packages : {};
  const isThere = ([place, { version, optional }]) => place === '' || optional === true || installed[place]?.version === version;
  if (Object.entries(wanted).every(isThere)) return;
  console.log('Installing the packages of tests/sdks…');
  run('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'], process.env);
}

function installComply() {
  const folder = path.join(os.tmpdir(), `tidegate-comply-${complyVersion}`);
  const binaries = path.join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
  const program = path.join(binaries, 'llm-comply');
  if (!existsSync(program) && !existsSync(`${program}.exe`)) {
    const python = ['python3', 'python'].find((name) => spawnSync(name, ['-c', 'import venv'], { stdio: 'ignore' }).status === 0);
    if (python === undefined) giveUp('Python 3 with `venv` is missing: llm-comply is a Python package, so it cannot be run here.');
    console.log('Installing llm-comply…');
    run(python, ['-m', 'venv', folder], process.env);
    run(path.join(binaries, 'python'), ['-m', 'pip', 'install', '--quiet', `llm-comply==${complyVersion}`], process.env);
  }
  return { LLM_COMPLY: program };
}

function installAgents() {
  const folder = path.join(os.tmpdir(), 'tidegate-agents');
  const wanted = Object.values(agents).join(' ');
  const note = path.join(folder, 'installed');
  if (!existsSync(note) || readFileSync(note, 'utf8') !== wanted) {
    console.log('Installing Codex, Claude Code, Gemini CLI and OpenCode…');
    mkdirSync(folder, { recursive: true });
    run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', ...Object.values(agents)], process.env);
    writeFileSync(note, wanted);
  }
  // A program may be a small one that fetches its real one from elsewhere.
  for (const name of Object.keys(agents)) {
    const program = path.join(folder, 'node_modules/.bin', name);
    const ownHome = { ...process.env, HOME: folder, USERPROFILE: folder };
    if (
      spawnSync(program, ['--version'], { stdio: 'ignore', env: ownHome, timeout: 60_000, shell: process.platform === 'win32' }).status !==
      0
    )
      giveUp(`${agents[name]} does not start with what the npm registry has of it, so these tests cannot be run here.`);
  }
  return { AGENTS: folder };
}

function giveUp(reason) {
  console.error(reason);
  process.exit(1);
}
