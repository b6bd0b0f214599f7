// `:predict` requests of callers for images. https://ai.google.dev/gemini-api/docs/imagen
import { pictureModel, tokensOf, unitsOf } from '#shared/picture-order.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { refuseAccountObject } from '#server/formats/provider-objects.ts';
import type { ClientCall } from '#server/formats/client-dialect.ts';
import { criticalMembers, openBelow } from '#server/formats/critical-members.ts';
import { addMediaTokens, emptyPrompt } from '#server/formats/prompt-content.ts';
import { clientDialects } from '#server/formats/registry.ts';
import { badField, StrictFields } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { mostAtOnce } from './most-pictures.ts';
import { orderOf } from './picture-order.ts';
import { objectsIn } from './image-format.ts';
import { predictCaller } from './predict-caller.ts';

const mostPictures = 10;
const mostReferences = 16;
const longestWord = 32;
/** Tokens of an input image. */
const pictureTokens = { usual: 400, most: 7000 };

export const predictClient: ClientCall = {
  read: (body, address) => clientDialects.gemini.calls.chat.read(body, address),
  check(body) {
    const fields = new StrictFields(body);
    const [instance, ...more] = fields.objects('instances');
    if (instance === undefined) throw badField('instances', fieldRules.required);
    if (more.length > 0) throw badField('instances', fieldRules.most(1));
    if (instance.requiredText('prompt') === '') throw badField(instance.path('prompt'), fieldRules.required);
    if (instance.objects('referenceImages').length > mostReferences)
      throw badField(instance.path('referenceImages'), fieldRules.most(mostReferences));
    const parameters = fields.fields('parameters') ?? new StrictFields({}, 'parameters');
    parameters.integer('sampleCount', 1, mostPictures);
    for (const name of ['sampleImageSize', 'imageSize'] as const) {
      if ((parameters.text(name)?.length ?? 0) > longestWord) throw badField(parameters.path(name), fieldRules.longest(longestWord));
    }
    const ratio = parameters.text('aspectRatio');
    if (ratio !== undefined && !/^[1-9]\d?:[1-9]\d?$/.test(ratio)) throw badField(parameters.path('aspectRatio'), fieldRules.invalid);
    parameters.object('outputOptions');
    refuseAccountObject(placeOfBucket(instance.plain, 'instances.0') ?? placeOfBucket(parameters.plain, 'parameters'));
  },
  parameters: () => ({ maxTokens: 0, choices: 1, wantsUsage: false, mostTokenBytes: 0 }),
  promptContent(body, model) {
    const prompt = emptyPrompt();
    const [instance = {}] = objectsIn(body.instances);
    const given = objectsIn(instance.referenceImages);
    const { negativePrompt } = isObject(body.parameters) ? body.parameters : {};
    for (const text of [instance.prompt, negativePrompt, ...given.flatMap(descriptionsIn)])
      if (typeof text === 'string') prompt.texts.push(text);
    const references = given.length + (isObject(instance.image) ? 1 : 0);
    for (let index = 0; index < references; index += 1)
      addMediaTokens(prompt, pictureTokens.usual, { most: pictureTokens.most, isImage: true });
    prompt.made = ({ upstreamModel, paramOverride, provider }) => {
      const words = predictCaller.asWords({ ...body, ...paramOverride }, { upstreamModel }).body;
      const order = orderOf({ ...words, ...paramOverride });
      const made = pictureModel(upstreamModel, model);
      const requests = Math.ceil(order.count / mostAtOnce(false, provider?.images, upstreamModel)) || 1;
      return { units: unitsOf(order, made), tokens: tokensOf(order, made), requests };
    };
    return prompt;
  },
  names: openBelow(
    criticalMembers(['instances', 'prompt', 'referenceImages', 'parameters', 'sampleCount', 'aspectRatio', 'sampleImageSize', 'imageSize']),
    'parameters',
  ),
  responseFields: predictCaller.orderFields,
};

/** Texts that describe an input image. */
function descriptionsIn({ subjectImageConfig: subject, styleImageConfig: style }: Readonly<Record<string, unknown>>): unknown[] {
  return [isObject(subject) ? subject.subjectDescription : undefined, isObject(style) ? style.styleDescription : undefined];
}

const buckets: ReadonlySet<string> = new Set(['gcsUri', 'storageUri', 'gcs_uri', 'storage_uri']);

/** Path of the first bucket URI, which belongs to the provider's account. */
function placeOfBucket(value: unknown, path: string): string | undefined {
  const members = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  for (const [name, member] of members) {
    if (buckets.has(String(name)) && member !== null && member !== '') return `${path}.${name}`;
    const below = typeof member === 'object' ? placeOfBucket(member, `${path}.${name}`) : undefined;
    if (below !== undefined) return below;
  }
  return undefined;
}
