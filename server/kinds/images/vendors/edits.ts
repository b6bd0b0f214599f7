// Edit formats by the name in a provider's record.
import { dashscopeContent } from './dashscope.ts';
import { geminiRequest } from './google.ts';
import { minimax } from './minimax.ts';
import { ark, siliconflow } from './openai-like.ts';
import { type PictureEdit, urlOf } from '../picture-edit.ts';
import { countIn, splitFields, textIn } from '../image-format.ts';

/** https://ai.google.dev/gemini-api/docs/image-generation#image_generation_text-and-image-to-image */
const google: PictureEdit = {
  mostGiven: 14,
  mostPictures: () => 1,
  writeRequest(body, model, given) {
    const pictures = given.flatMap((one) => (one.kind === 'bytes' ? [{ inlineData: { mimeType: one.mediaType, data: one.data } }] : []));
    return geminiRequest(body, model, pictures);
  },
};

/** https://help.aliyun.com/zh/model-studio/qwen-image-edit-api https://help.aliyun.com/zh/model-studio/wan-image-generation-api-reference */
const dashscope: PictureEdit = {
  mostGiven: 4,
  takesAddresses: true,
  mostPictures: (model) => (/^qwen-image-edit(?:-\d|$)/.test(model) ? 1 : model.startsWith('qwen') ? 6 : 4),
  writeRequest: (body, model, given) =>
    dashscopeContent(
      body,
      model,
      given.map((one) => ({ image: urlOf(one) })),
    ),
};

/** The input image's size is preserved. https://docs.siliconflow.cn/cn/api-reference/images/images-generations */
const siliconFlow: PictureEdit = {
  mostGiven: 3,
  takesAddresses: true,
  mostPictures: () => 1,
  writeRequest({ size, ...body }, model, given) {
    const [image, image2, image3] = given.map(urlOf);
    const { body: written, dropped } = siliconflow.writeRequest({ ...body, image, image2, image3 }, model);
    const { batch_size: _one, ...requested } = written;
    return { body: requested, dropped: size === undefined ? dropped : [...dropped, 'size'] };
  },
};

/** https://www.volcengine.com/docs/82379/1541523 */
const volcano: PictureEdit = {
  mostGiven: 10,
  takesAddresses: true,
  mostPictures: (model) => ark.mostPictures?.(model) ?? 1,
  writeRequest(body, model, given) {
    const urls = given.map(urlOf);
    return ark.writeRequest({ ...body, image: urls.length === 1 ? urls[0] : urls }, model);
  },
};

/** The API only supports references to characters. https://platform.minimax.io/docs/api-reference/image-generation-i2i */
const miniMax: PictureEdit = {
  mostGiven: 10,
  takesAddresses: true,
  mostPictures: (model) => minimax.mostPictures?.(model) ?? 1,
  writeRequest(body, model, given) {
    const written = minimax.writeRequest(body, model);
    return {
      ...written,
      body: { ...written.body, subject_reference: given.map((one) => ({ type: 'character', image_file: urlOf(one) })) },
    };
  },
};

/** https://docs.x.ai/docs/guides/image-generations#image-editing */
const xai: PictureEdit = {
  mostGiven: 3,
  takesAddresses: true,
  mostPictures: () => 10,
  writeRequest(body, model, given) {
    const { extras, dropped } = splitFields(body, ['aspect_ratio', 'resolution']);
    const [first, ...others] = given.map((one) => ({ url: urlOf(one), type: 'image_url' }));
    const pictures = others.length === 0 ? { image: first } : { images: [first, ...others] };
    const format = textIn(body, 'response_format');
    const requested = { ...extras, model, prompt: body.prompt, ...pictures, n: countIn(body) };
    return {
      body: format === undefined ? requested : { ...requested, response_format: format },
      dropped: body.size === undefined ? dropped : [...dropped, 'size'],
    };
  },
};

export const pictureEdits: ReadonlyMap<string, PictureEdit> = new Map(
  Object.entries({ google, dashscope, siliconflow: siliconFlow, ark: volcano, minimax: miniMax, xai }),
);
