// Speech and transcription at providers with their own API.
import { expect } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { startFakeInternet } from '#tests/support/fake-internet.ts';
import { type FakeSpeaker, type SpeakerName, speakers, spokenSamples, startFakeSpeaker } from '#tests/support/fake-speakers.ts';
import { refusedText } from '#tests/support/provider-front.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';
import { exercises, isKind } from './exercises.ts';
import { failures } from './facts.ts';
import type { Row } from './rows.ts';

const models: Readonly<Record<SpeakerName, string>> = {
  minimax: 'speech-2.6-hd',
  mistral: 'voxtral-mini-tts-3-0',
  volc: 'seed-tts-2.0',
  google: 'gemini-2.5-flash-preview-tts',
  vertex: 'gemini-2.5-flash-preview-tts',
  dashscope: 'qwen3-tts-flash',
  zhipu: 'glm-tts',
  aliHears: 'qwen3-asr-flash',
  workersHears: '@cf/openai/whisper-large-v3-turbo',
  mistralHears: 'voxtral-mini-latest',
  zhipuHears: 'glm-asr-2512',
};

/** Both of Zhipu's platforms have the same API. */
const likeOthers: ReadonlyMap<number, number> = new Map([[16, 26]]);

/** If null, the shared API is used, or none. */
export function speakerOf({ type, capability }: Row): SpeakerName | null {
  const requested = likeOthers.get(type) ?? type;
  const isInputAudio = capability === 'transcriptions' || (type === 39 && capability === 'translations');
  if (!isInputAudio && capability !== 'speech') return null;
  return speakerNames.find((name) => speakers[name].type === requested && name.endsWith('Hears') === isInputAudio) ?? null;
}

const speakerNames = Object.keys(speakers).filter((name): name is SpeakerName => name in speakers);

/** Made or transcribed, and rejected in the provider's format. */
export async function askForSound(row: Row): Promise<void> {
  const name = speakerOf(row);
  if (name === null) throw new Error(`Nothing speaks as type ${row.type} does`);
  const { type } = row;
  const model = models[name];
  const distrust = trustLocalhost();
  const internet = await startFakeInternet();
  internet.serve((_visit, response) => response.writeHead(200, { 'content-type': 'audio/wav' }).end(spokenSamples));
  let speaker: FakeSpeaker | undefined;
  try {
    await using scene = await createScene(embeddedEngine, {
      network: internet.network,
      settings: { SelfUseModeEnabled: 'true', RetryTimes: '0' },
      channels: [{ type, models: model, ...(type === 41 ? { other: 'global' } : {}) }],
      front: async (url) => (speaker = await startFakeSpeaker(name, url)),
    });
    const exercise = isKind(row.capability) ? exercises[row.capability] : undefined;
    if (exercise === undefined) throw new Error('Nothing asks for sounds');
    const made = await exercise.ask(scene, model, false);
    const text = await made.text();
    expect(made.status, text).toBe(200);
    exercise.check(made, text);
    if (exercise.streams !== undefined) {
      const streamed = await (await exercise.ask(scene, model, true)).text();
      expect(streamed).toContain(exercise.streams.end);
      if (row.capability === 'speech') expect(streamed).toContain('speech.audio.delta');
    }
    await scene.logs(exercise.streams === undefined ? 1 : 2);
    const balance = await scene.balance();
    const { status, body } = { status: 400, body: { error: { code: 400, message: refusedText } }, ...failures[type]?.(refusedText) };
    speaker?.behave(body, status);
    const refused = await exercise.ask(scene, model, false);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining(refusedText) } });
    expect(await scene.balance()).toBe(balance);
    await scene.checkBooks();
  } finally {
    distrust();
    await internet[Symbol.asyncDispose]();
  }
}
