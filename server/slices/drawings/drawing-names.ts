import { criticalMembers } from '#server/formats/critical-members.ts';

/** Members that Midjourney clients use; the body is forwarded with all others. */
export const drawingNames = criticalMembers([
  'action',
  'accountFilter',
  'base64',
  'base64Array',
  'botType',
  'content',
  'customId',
  'dimensions',
  'index',
  'maskBase64',
  'mode',
  'modes',
  'model',
  'notifyHook',
  'prompt',
  'sourceBase64',
  'state',
  'targetBase64',
  'taskId',
]);
