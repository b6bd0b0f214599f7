// Defaults too large for the console's bundle.
import audioCacheRatio from './data/audio-cache-ratio.json' with { type: 'json' };
import audioCompletionRatio from './data/audio-completion-ratio.json' with { type: 'json' };
import audioRatio from './data/audio-ratio.json' with { type: 'json' };
import cacheRatio from './data/cache-ratio.json' with { type: 'json' };
import completionRatio from './data/completion-ratio.json' with { type: 'json' };
import cacheCreation1hRatio from './data/create-cache-1h-ratio.json' with { type: 'json' };
import cacheCreationRatio from './data/create-cache-ratio.json' with { type: 'json' };
import fineTuningPrice from './data/fine-tuning-price.json' with { type: 'json' };
import groupRatio from './data/group-ratio.json' with { type: 'json' };
import imageCompletionRatio from './data/image-completion-ratio.json' with { type: 'json' };
import imageRatio from './data/image-ratio.json' with { type: 'json' };
import longInputPrice from './data/long-input-price.json' with { type: 'json' };
import modelPrice from './data/model-price.json' with { type: 'json' };
import modelRatio from './data/model-ratio.json' with { type: 'json' };
import tierPrice from './data/tier-price.json' with { type: 'json' };
import toolPrice from './data/tool-price.json' with { type: 'json' };
import usableGroups from './data/usable-groups.json' with { type: 'json' };
import videoPrice from './data/video-price.json' with { type: 'json' };
import { type SettingKey, settings } from '#shared/settings.ts';

const large: Partial<Record<SettingKey, string>> = {
  // Includes models that transcribe in sessions; for those billed by the minute, a minute is 1,000 tokens:
  // https://developers.openai.com/api/docs/models/gpt-4o-transcribe, …/gpt-live-transcribe, …/gpt-realtime-whisper
  ModelRatio: JSON.stringify(modelRatio),
  ModelPrice: JSON.stringify(modelPrice),
  CacheRatio: JSON.stringify(cacheRatio),
  CreateCacheRatio: JSON.stringify(cacheCreationRatio),
  CreateCache1hRatio: JSON.stringify(cacheCreation1hRatio),
  AudioRatio: JSON.stringify(audioRatio),
  AudioCompletionRatio: JSON.stringify(audioCompletionRatio),
  // https://developers.openai.com/api/docs/models/gpt-realtime-2.1, …-mini, …/gpt-4o-realtime-preview
  AudioCacheRatio: JSON.stringify(audioCacheRatio),
  // https://developers.openai.com/api/docs/models/gpt-image-1.5, …/gpt-image-2, https://ai.google.dev/gemini-api/docs/pricing
  ImageRatio: JSON.stringify(imageRatio),
  ImageCompletionRatio: JSON.stringify(imageCompletionRatio),
  CompletionRatio: JSON.stringify(completionRatio),
  // List prices of November 2026: OpenAI, Anthropic, Google.
  LongInputPrice: JSON.stringify(longInputPrice),
  // https://openai.com/API-fast-mode/, https://ai.google.dev/gemini-api/docs/optimization, https://platform.claude.com/docs/en/build-with-claude/fast-mode
  TierPrice: JSON.stringify(tierPrice),
  // List prices of November 2026: OpenAI, Google.
  VideoPrice: JSON.stringify(videoPrice),
  // List prices of November 2026: https://developers.openai.com/api/docs/pricing#fine-tuning
  FineTuningPrice: JSON.stringify(fineTuningPrice),
  GroupRatio: JSON.stringify(groupRatio),
  TopupGroupRatio: JSON.stringify(groupRatio),
  UserUsableGroups: JSON.stringify(usableGroups),
  // List prices of November 2026: OpenAI, Anthropic, Google, Perplexity, xAI. Code containers are billed by session or
  // time: these are their minimum.
  ToolPrice: JSON.stringify(toolPrice),
};

/** Default text of a setting. */
export function defaultText(key: SettingKey): string {
  const text = settings[key].defaultText ?? large[key];
  if (text === undefined) throw new Error(`The setting ${key} has no default`);
  return text;
}
