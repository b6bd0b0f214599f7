// A drawing as Midjourney clients read it.
import type { Language } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { failReasonIn } from '#server/tasks/fail-reason.ts';
import { imageAddress } from '#server/tasks/image-address.ts';

export function presentDrawing(context: AppContext, task: TaskRecord, language: Language): object {
  const properties = parseObject(task.properties);
  const image = imageAddress(context, task);
  // Pictures of drawings that are not done change under one address.
  const isOurs = image !== '' && image !== task.image_url;
  const textIn = (name: string) => (typeof properties?.[name] === 'string' ? properties[name] : '');
  return {
    id: task.upstream_id ?? '',
    action: task.action,
    customId: '',
    botType: '',
    prompt: task.prompt,
    promptEn: task.prompt_en,
    description: task.description,
    state: task.state,
    submitTime: task.submit_time,
    startTime: task.start_time,
    finishTime: task.finish_time,
    imageUrl: isOurs && task.status !== 'SUCCESS' ? `${image}?rand=${context.now()}` : image,
    status: task.status,
    progress: task.progress,
    failReason: failReasonIn(task, language),
    buttons: task.buttons === '' ? null : JSON.parse(task.buttons),
    maskBase64: '',
    properties: { finalPrompt: textIn('finalPrompt'), finalZhPrompt: textIn('finalZhPrompt') },
  };
}
