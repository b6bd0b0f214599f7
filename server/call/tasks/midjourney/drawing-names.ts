import { criticalMembers } from '#server/formats/critical-members.ts';

/** What a Midjourney client asks for stands in these; the body goes upstream with whatever else is in it. */
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
