// Model list for Codex, which requests it with its version if its key comes from a command, and reads context size, thinking and tools of
// each model. Required members were determined with Codex 0.169.
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { ListedModel } from '../api-surface.ts';

/** Codex's own entries for these models contain the vendor's instructions, which ours would replace. Codex has them in any case. */
const tunedModels = /^(?:gpt-5\.[5-9]|gpt-[6-9]|gpt-daybreak|codex-auto-review)/;
/** Models without conversations. */
const otherKinds = /embed|rerank|moderation|whisper|tts|transcribe|dall-e|image|audio|realtime|speech|^mj_|^suno|instruct|babbage|davinci/;
const levels = [
  { effort: 'low', description: 'Answers soonest' },
  { effort: 'medium', description: 'Thinks as long as most work needs' },
  { effort: 'high', description: 'Thinks longest' },
];

const instructions = `You are a coding agent in Codex, a program in a terminal on the user's machine. You share the user's workspace and work \
on a task until it is done, or until only the user can decide how to go on.

- Read before you write: look at the files around a change, and follow the project's conventions and its AGENTS.md files.
- Use the tools that you are given. Search with \`rg\` where it is there. Edit files with \`apply_patch\`, in patches that hold what changes and no more.
- Other changes in the work tree are the user's: leave them as they are. Never run a command that throws work away unless you are asked to.
- Mend causes rather than symptoms, and keep to what was asked. Do not add comments, files or dependencies that nobody needs.
- Run the tests or checks that show whether it works, as far as you may, and say so where you could not.
- Say shortly what you are about to do before longer work. At the end say what you changed and what is left; name files by their paths.
`;

export function codexModels(models: readonly ListedModel[]): Record<string, unknown> {
  const listed = models.filter(({ id }) => !tunedModels.test(id) && !otherKinds.test(id) && factsOf(id)?.isChat !== false);
  return { models: listed.map(({ id }, index) => codexModel(id, index)) };
}

/** Number of entries built into Codex: ours follow. */
const firstPlace = 100;

function codexModel(id: string, index: number): Record<string, unknown> {
  const facts = factsOf(id);
  const most = facts?.context ?? null;
  const isThinking = facts !== undefined && facts.thinking !== null && facts.thinking.efforts?.length !== 0;
  return {
    slug: id,
    display_name: id,
    ...(isThinking ? { default_reasoning_level: 'medium' } : {}),
    supported_reasoning_levels: isThinking ? levels : [],
    supports_reasoning_summaries: isThinking,
    default_reasoning_summary: isThinking ? 'auto' : 'none',
    ...(most === null ? {} : { context_window: most, max_context_window: most }),
    auto_compact_token_limit: null,
    truncation_policy: { mode: 'tokens', limit: 10_000 },
    input_modalities: facts?.seesPictures === true ? ['text', 'image'] : ['text'],
    shell_type: 'shell_command',
    apply_patch_tool_type: 'freeform',
    supports_parallel_tool_calls: true,
    experimental_supported_tools: [],
    support_verbosity: facts?.vendor === 'openai' && !facts.takesStop,
    visibility: 'list',
    supported_in_api: true,
    priority: firstPlace + index,
    base_instructions: instructions,
  };
}
