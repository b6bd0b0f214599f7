// Image edit and variation requests of callers: multipart forms with files; edits also as JSON with URLs.
// https://platform.openai.com/docs/api-reference/images/createEdit,
// https://platform.openai.com/docs/api-reference/images/createVariation
import { fieldRules } from '#shared/field-rules.ts';
import { refuseAccountObject } from '#server/formats/provider-objects.ts';
import type { ClientCall } from '#server/formats/client-dialect.ts';
import { criticalMembers } from '#server/formats/critical-members.ts';
import { boundaryIn, type MultipartFields } from '#server/formats/multipart-body.ts';
import { addMediaTokens, type PromptContent } from '#server/formats/prompt-content.ts';
import { dataUrl } from '#server/formats/media.ts';
import { isAddress, withItems, withMember } from '#server/formats/media-addresses.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { checkOrder, checkPrompt, generationsClient, orderedContent, orderNames } from './generations-client.ts';

const form: MultipartFields = {
  numbers: ['n', 'partial_images', 'frame_count'],
  flags: ['stream'],
  files: ['image', 'mask', 'markup'],
};
const mostImages = 16;
/**
 * Tokens of an input image at high fidelity, which some models always use.
 * https://developers.openai.com/api/docs/guides/image-generation#input-fidelity
 */
const [usualTokens, mostTokens] = [400, 7000];

const { probe: _none, ...shared } = generationsClient;

export const editsClient: ClientCall = {
  ...shared,
  form,
  names: criticalMembers(orderNames, ['image', 'images', 'mask', 'markup', 'image_url', 'file_id']),
  check(body) {
    checkPrompt(body);
    checkOrder(body);
    if (boundaryIn(body) === undefined) checkAddresses(body);
    else checkFiles(body, mostImages);
  },
  withMedia(body, mediaOf) {
    const change = (picture: Body) => {
      const url = picture.image_url;
      const media = isAddress(url) ? mediaOf({ url, kind: 'image' }) : null;
      return media === null ? picture : { ...picture, image_url: dataUrl(media.mediaType, media.data) };
    };
    return withMember(withItems(body, 'images', change), 'mask', change);
  },
  promptContent: (body, model) => withPictures(orderedContent(body, model, true), body),
};

export const variationsClient: ClientCall = {
  ...shared,
  read: (body, address) => ({ ...generationsClient.read(body, address), isStream: false }),
  form,
  names: criticalMembers(orderNames, ['image']),
  check(body) {
    checkOrder(body);
    if (boundaryIn(body) === undefined) throw badField('image', aFile);
    checkFiles(body, 1);
  },
  promptContent: (body, model) => withPictures(generationsClient.promptContent(body, model), body),
};

const aFile = { zh: '必须是表单（multipart/form-data）中的文件', en: 'must be a file of a form (multipart/form-data)' };

function checkFiles({ image, mask, markup }: Body, most: number): void {
  if (!Array.isArray(image) || image.length === 0) throw badField('image', fieldRules.required);
  if (image.length > most) throw badField('image', fieldRules.most(most));
  for (const [name, files] of Object.entries({ mask, markup })) {
    if (Array.isArray(files) && files.length > 1) throw badField(name, fieldRules.standsOnce);
  }
}

/** Rejects file ids, which belong to the provider's account. */
function checkAddresses(body: Body): void {
  const fields = new StrictFields(body);
  const images = fields.objects('images');
  if (images.length === 0) throw badField('images', fieldRules.required);
  if (images.length > mostImages) throw badField('images', fieldRules.most(mostImages));
  const mask = fields.fields('mask');
  for (const picture of mask === undefined ? images : [...images, mask]) {
    refuseAccountObject(picture.has('file_id') ? picture.path('file_id') : undefined);
    picture.requiredText('image_url');
  }
}

function withPictures(prompt: PromptContent, { image, images, mask, markup }: Body): PromptContent {
  for (const pictures of [image, images, mask, markup]) {
    const count = Array.isArray(pictures) ? pictures.length : isObject(pictures) ? 1 : 0;
    for (let index = 0; index < count; index += 1) addMediaTokens(prompt, usualTokens, { most: mostTokens, isImage: true });
  }
  return prompt;
}
