// Numbers of channel types. new-api counts as Tidegate does; one-api counts differently above 25.

/** A type of Tidegate, with the address of providers that have no type of their own and speak OpenAI's format. */
export interface MappedType {
  type: number;
  baseUrl?: string;
}

/** https://github.com/songquanpeng/one-api/blob/main/relay/channeltype/define.go; null: no counterpart. */
const ofOneApi: Readonly<Record<number, MappedType | null>> = {
  26: { type: 1, baseUrl: 'https://api.baichuan-ai.com' },
  27: { type: 35 },
  28: { type: 42 },
  29: { type: 1, baseUrl: 'https://api.groq.com/openai' },
  30: { type: 4 },
  31: { type: 31 },
  32: { type: 1, baseUrl: 'https://api.stepfun.com' },
  33: { type: 33 },
  34: { type: 49 },
  35: { type: 34 },
  36: { type: 43 },
  37: { type: 39 },
  38: null,
  39: { type: 1, baseUrl: 'https://api.together.xyz' },
  40: { type: 45 },
  41: { type: 1, baseUrl: 'https://api.novita.ai/v3/openai' },
  42: { type: 41 },
  43: null,
  44: { type: 40 },
  45: { type: 48 },
  46: { type: 56 },
  47: { type: 46 },
  48: { type: 1, baseUrl: 'https://spark-api-open.xf-yun.com' },
  49: { type: 17 },
  50: { type: 1 },
  51: { type: 1, baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai' },
};

export function mappedType(type: number, program: 'one-api' | 'new-api'): MappedType | null {
  // Another new-api speaks OpenAI's format.
  if (program === 'new-api') return { type: type === 60 ? 1 : type };
  return type in ofOneApi ? (ofOneApi[type] ?? null) : { type };
}

/** Addresses behind the plan names that new-api accepts in place of an address. */
export const planAddresses: Readonly<Record<string, string>> = {
  'glm-coding-plan': 'https://open.bigmodel.cn/api/coding/paas/v4',
  'glm-coding-plan-international': 'https://api.z.ai/api/coding/paas/v4',
  'kimi-coding-plan': 'https://api.kimi.com/coding/v1',
  'doubao-coding-plan': 'https://ark.cn-beijing.volces.com/api/coding/v3',
};
