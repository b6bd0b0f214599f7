import type { EditKind } from './edit-kind.ts';
import { optionEdit } from './option.ts';
import { ownNameEdit, ownSettingEdit } from './own-setting.ts';

/** Every kind of edit that may wait. Another one is a file beside these and a line here. */
export const editKinds: readonly EditKind[] = [ownSettingEdit, ownNameEdit, optionEdit];

/** Keys that no kind knows any more (an option that was given up) go where options go: the server says what is wrong. */
export function kindOf(optionKey: string): EditKind {
  return editKinds.find((kind) => kind.owns(optionKey)) ?? optionEdit;
}
