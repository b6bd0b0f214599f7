// Images of providers that extend or reduce OpenAI's format.
import { readPictureUsage } from '../picture-usage.ts';
import { type Body, countIn, type ImageFormat, objectsIn, pictureOf, refusedPrompt, splitFields, textIn } from '../image-format.ts';

/** https://docs.bigmodel.cn/api-reference/模型-api/图像生成 */
export const zhipu: ImageFormat = {
  mostPictures: () => 1,
  writeRequest(body, model) {
    const { extras, dropped } = splitFields(body, ['quality', 'watermark_enabled', 'user_id']);
    return { body: { ...extras, model, prompt: body.prompt, ...sizeOf(body) }, dropped };
  },
  readResponse: (reported) => readRows(reported, reported.data),
};

/** https://cloud.baidu.com/doc/qianfan-api/s/8m7u6un8a */
export const qianfan: ImageFormat = {
  mostPictures: () => 4,
  writeRequest(body, model) {
    const known = ['refer_image', 'negative_prompt', 'steps', 'seed', 'guidance', 'watermark', 'prompt_extend'];
    const { extras, dropped } = splitFields(body, known);
    return { body: { ...extras, model, prompt: body.prompt, n: countIn(body), ...sizeOf(body) }, dropped };
  },
  readResponse: (reported) => readRows(reported, reported.data),
};

/** Baidu's first platform, where the URL names the model. https://cloud.baidu.com/doc/WENXINWORKSHOP/s/Klkqubb9w */
export const wenxin: ImageFormat = {
  mostPictures: () => 4,
  writeRequest(body) {
    const { extras, dropped } = splitFields(body, ['negative_prompt', 'steps', 'sampler_index', 'seed', 'cfg_scale', 'style']);
    return { body: { ...extras, prompt: body.prompt, n: countIn(body), ...sizeOf(body) }, dropped };
  },
  readResponse: (reported) => readRows(reported, reported.data),
};

/** https://docs.siliconflow.cn/cn/api-reference/images/images-generations */
export const siliconflow: ImageFormat = {
  mostPictures: () => 4,
  writeRequest(body, model) {
    const known = ['negative_prompt', 'seed', 'num_inference_steps', 'guidance_scale', 'cfg', 'image', 'image2', 'image3', 'output_format'];
    const { extras, dropped } = splitFields(body, known);
    const size = textIn(body, 'image_size') ?? sizeOf(body).size;
    const count = body.n === undefined ? {} : { batch_size: countIn(body) };
    return {
      body: { ...extras, model, prompt: body.prompt, ...count, ...(size === undefined ? {} : { image_size: size }) },
      dropped: dropped.filter((name) => name !== 'image_size'),
    };
  },
  readResponse: (reported) => readRows(reported, reported.images ?? reported.data),
};

/**
 * Several images are a series, whose length the model chooses up to a bound.
 * https://www.volcengine.com/docs/82379/1541523
 */
export const ark: ImageFormat = {
  mostPictures: (model) => (/seedream-[123]|seededit/.test(model) ? 1 : 10),
  writeRequest(body, model) {
    const known = ['image', 'seed', 'guidance_scale', 'watermark', 'optimize_prompt_options', 'output_format'];
    const { extras, dropped } = splitFields(body, known);
    const count = countIn(body);
    const isSeries = count > 1;
    return {
      body: {
        ...extras,
        model,
        prompt: body.prompt,
        ...sizeOf(body),
        response_format: body.response_format === 'b64_json' ? 'b64_json' : 'url',
        ...(isSeries ? { sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: count } } : {}),
      },
      dropped: dropped.filter((name) => !isSeries || name !== 'sequential_image_generation'),
    };
  },
  readResponse: (reported) => readRows(reported, reported.data),
};

function sizeOf(body: Body): { size?: string } {
  const size = textIn(body, 'size');
  return size === undefined || size === 'auto' ? {} : { size };
}

/** A row may hold an error instead of an image. */
function readRows(reported: Body, list: unknown): ReturnType<ImageFormat['readResponse']> {
  if (!Array.isArray(list)) return null;
  const rows = objectsIn(list);
  const pictures = rows.flatMap((row) => pictureOf(row, ['url'], ['b64_json', 'b64_image']));
  const [failed] = rows.flatMap(({ error }) => objectsIn([error]));
  if (pictures.length === 0 && failed !== undefined) {
    return refusedPrompt(textIn(failed, 'message') ?? 'The picture could not be made', textIn(failed, 'code'));
  }
  return { pictures, usage: readPictureUsage(reported.usage) };
}
