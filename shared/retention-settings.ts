// Settings of data stored for callers, here and at providers.
import { booleanSetting, integerSetting, numberMapSetting, numberSetting } from '#shared/setting-values.ts';

export const retentionSettings = {
  // Responses stored for their callers.
  ResponseStoreEnabled: booleanSetting(true),
  /** Days. */
  ResponseRetentionDays: integerSetting(30, { min: 1, max: 3650 }),
  /** How many of a user, and megabytes of them; the oldest go first. */
  ResponsesPerUser: integerSetting(10_000, { min: 1, max: 10_000_000 }),
  ResponseMegabytesPerUser: integerSetting(200, { min: 1, max: 1_000_000 }),
  /** Background responses of a user at the same time; 0: none are allowed. */
  BackgroundResponsesPerUser: integerSetting(8, { min: 0, max: 100 }),

  // Files that callers leave at providers
  /** How many of a user, and megabytes of them; 0: there are none. */
  FilesPerUser: integerSetting(0, { min: 0, max: 1_000_000 }),
  FileMegabytesPerUser: integerSetting(500, { min: 1, max: 1_000_000 }),
  /** Days. */
  FileRetentionDays: integerSetting(30, { min: 1, max: 30 }),
  /** How many batches of a user may be under way, and requests in them; 0: there are none. */
  BatchesPerUser: integerSetting(0, { min: 0, max: 10_000 }),
  BatchRequestsPerUser: integerSetting(50_000, { min: 1, max: 10_000_000 }),
  /** How many cachedContents a user may have; 0: there are none. */
  ContextCachesPerUser: integerSetting(0, { min: 0, max: 10_000 }),
  /** USD for storing a million tokens of them for an hour, by model; `*` stands for any letters. https://ai.google.dev/gemini-api/docs/pricing */
  ContextCachePrice: numberMapSetting({ 'gemini*': 1, 'gemini*pro*': 4.5 }, { min: 0, max: 1_000_000 }),
  /** How many models of a user may be in training; 0: none are trained. */
  FineTuningJobsPerUser: integerSetting(0, { min: 0, max: 10_000 }),
  /** How many vector stores a user may have, and megabytes of them; 0: there are none. */
  VectorStoresPerUser: integerSetting(0, { min: 0, max: 10_000 }),
  VectorStoreMegabytesPerUser: integerSetting(1000, { min: 1, max: 10_000_000 }),
  /** USD for a GB of vector stores and a day. https://platform.openai.com/docs/pricing */
  VectorStorePrice: numberSetting(0.1, { min: 0, max: 1_000_000 }),
  /** USD per 1,000 searches in a vector store that no model makes; OpenAI charges for those of models alone. */
  VectorSearchPrice: numberSetting(0, { min: 0, max: 1_000_000 }),
};
