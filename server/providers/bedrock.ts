// AWS Bedrock at a region's host: Claude in its own format by InvokeModel, other families by Converse.
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
// https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html
import { readAwsKey } from '#shared/aws-key.ts';
import { bedrockId, bedrockModels } from './bedrock-models.ts';
import type { HostedRequest } from '#server/formats/provider-traits.ts';
import type { LocatedCall, ModelList, ModelLocation, ProviderRecord } from './spec.ts';

const model = '{base}/model/{id}';

const betaHeader = 'anthropic-beta';

/** Accepted beta names, of any date whose meaning is unchanged. */
const knownBetas =
  /^(?:computer-use|token-efficient-tools-2025|interleaved-thinking|output-128k|dev-full-thinking|context-1m|context-management|effort|tool-search-tool|tool-examples|structured-outputs|compact)-/i;

/** Models reached through profiles, and those reached directly. */
const modelLists: readonly ModelList[] = [
  { path: '{base}/inference-profiles?maxResults=1000', baseOf: lists, items: 'inferenceProfileSummaries', name: 'inferenceProfileId' },
  {
    path: '{base}/foundation-models?byInferenceType=ON_DEMAND&byOutputModality=TEXT',
    baseOf: lists,
    items: 'modelSummaries',
    name: 'modelId',
  },
];

export const bedrock: ProviderRecord = {
  type: 33,
  name: 'AWS Bedrock',
  baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  formats: {
    claude: {
      framing: 'aws-wrapped',
      models: /claude/,
      // https://platform.claude.com/docs/en/build-with-claude/vision
      takesAddresses: [],
      wrap,
      paths: { chat: { whole: `${model}/invoke`, stream: `${model}/invoke-with-response-stream` } },
    },
    converse: {
      framing: 'aws-events',
      models: /^(?!.*claude)/,
      paths: { chat: { whole: `${model}/converse`, stream: `${model}/converse-stream` } },
    },
  },
  auth: { kind: 'aws', service: 'bedrock' },
  // Content type inside the event frames; the path selects the frames.
  streamHeaders: { accept: 'application/json' },
  locate,
  // A 403 may also refuse a single model, so only these codes refuse the key.
  refusals: { codesOfKey: ['UnrecognizedClientException', 'InvalidSignatureException', 'ExpiredTokenException'] },
  modelList: modelLists,
  models: bedrockModels,
};

/** The path has the model and the delivery, and the body the beta names of the header. */
function wrap({ body: claudeBody, headers }: HostedRequest): HostedRequest & { dropped: readonly string[] } {
  const { model: _model, stream: _stream, anthropic_beta: listed, ...body } = claudeBody;
  const { [betaHeader]: header, ...others } = headers ?? {};
  const inBody = Array.isArray(listed) ? listed.filter((beta) => typeof beta === 'string') : [];
  const betas = [...new Set([...(header?.split(',') ?? []), ...inBody].map((beta) => beta.trim()))].filter((beta) => beta !== '');
  const accepted = betas.filter((beta) => knownBetas.test(beta));
  return {
    body: { ...body, ...(accepted.length === 0 ? {} : { anthropic_beta: accepted }), anthropic_version: 'bedrock-2023-05-31' },
    headers: Object.keys(others).length === 0 ? null : others,
    dropped: betas.filter((beta) => !knownBetas.test(beta)).map((beta) => `${betaHeader}: ${beta}`),
  };
}

/** Escapes the id as one path segment, including colons and slashes. */
function locate({ key: text, model: name }: LocatedCall): ModelLocation | null {
  const key = readAwsKey(text);
  if (key === null) return null;
  const id = bedrockId(name, key.region);
  return { base: hostOf('bedrock-runtime', key.region), model: id, values: { id: encodeURIComponent(id) } };
}

function lists(text: string): string | null {
  const key = readAwsKey(text);
  return key === null ? null : hostOf('bedrock', key.region);
}

/** https://docs.aws.amazon.com/general/latest/gr/bedrock.html */
function hostOf(service: string, region: string): string {
  return `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}
