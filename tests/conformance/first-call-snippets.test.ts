// The code that the console gives for a first call, run as it is pasted: by a shell, and as a program with the official library.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallableKind, callableKind } from '#pwa/api/chat-models.ts';
import type { CodeKind } from '#pwa/features/first-call/snippet-blocks.ts';
import { snippetText } from '#pwa/features/first-call/snippets.ts';
import { type FakeTaskUpstream, startTaskUpstream } from '#tests/support/fake-task-upstream.ts';
import { type FakeVideos, soraServing, startFakeVideos } from '#tests/support/fake-videos.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const run = promisify(execFile);
const models: readonly string[] = [
  'gpt-4o-mini',
  'gpt-3.5-turbo-instruct',
  'text-embedding-3-small',
  'jina-reranker-v2',
  'omni-moderation-latest',
  'whisper-1',
  'tts-1',
  'gpt-image-1',
  'sora-2',
  'mj_imagine',
  'suno_music',
  'suno_lyrics',
];
/** What its answer says, and nothing else does. */
const answers: Record<CallableKind, RegExp> = {
  chat: /"choices"/,
  completion: /"text_completion"/,
  embedding: /"embedding"/,
  rerank: /"relevance_score"/,
  moderation: /"flagged"/,
  transcript: /"text"/,
  speech: /^$/,
  picture: /^$/,
  video: /"video_\w{32}"/,
  drawing: /"code":1/,
  music: /"code":"success"/,
};

describe('code of a first call', () => {
  let scene: RelayScene;
  let videos: FakeVideos;
  let tasks: FakeTaskUpstream;
  let folder: string;
  beforeAll(async () => {
    [videos, tasks] = await Promise.all([startFakeVideos(soraServing().serving), startTaskUpstream()]);
    scene = await createScene(embeddedEngine, {
      settings: { SelfUseModeEnabled: 'true' },
      channels: [
        { models: models.filter((model) => !/^jina|^sora|^mj_|^suno/.test(model)).join(',') },
        { type: 38, models: 'jina-reranker-v2' },
        { type: 55, models: 'sora-2', base_url: videos.url },
        { type: 2, models: 'mj_imagine', base_url: tasks.url },
        { type: 36, models: 'suno_music,suno_lyrics', base_url: tasks.url },
      ],
    });
    folder = await mkdtemp(path.join(tmpdir(), 'tidegate-snippets-'));
    await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  });
  afterAll(async () => {
    await scene[Symbol.asyncDispose]();
    await videos[Symbol.asyncDispose]();
    await tasks[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const code = (language: CodeKind, model: string) =>
    snippetText(language, {
      baseUrl: `${scene.app.origin}/v1`,
      key: scene.key,
      model,
      kind: callableKind(model) ?? 'chat',
      claudeModels: { haiku: model, sonnet: model, opus: model },
      models: [model],
      smallModel: model,
    });

  it.each(models)('%s is called by a shell', async (model) => {
    const { stdout } = await run('bash', ['-c', code('curl', model).replaceAll('curl ', 'curl -sSf ')], { cwd: folder });
    expect(stdout).toMatch(answers[callableKind(model) ?? 'chat']);
  });

  it('what is no text is in a file', async () => {
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['picture.json', 'recording.wav', 'speech.mp3']));
  });

  it('all are called by a program', async () => {
    const files = await Promise.all(
      models.map(async (model) => {
        await writeFile(path.join(folder, `${model}.mjs`), code('node', model));
        return `await import('./${model}.mjs');`;
      }),
    );
    await writeFile(path.join(folder, 'all.mjs'), files.join('\n'));
    const { stdout } = await run(process.execPath, ['all.mjs'], { cwd: folder });
    expect(stdout).toMatch(/queued/);
    expect(await readdir(folder)).toContain('picture.png');
    await scene.checkBooks();
  });
});
