import type { EditKind } from './edit-kind.ts';
import { optionEdit } from './option.ts';
import { ownNameEdit, ownSettingEdit } from './own-setting.ts';

/** Every kind of edit that may wait, apart from options. To add one, add a file to this folder and a line here. */
export const editKinds: readonly EditKind[] = [ownSettingEdit, ownNameEdit];

/**
 * Keys of no other kind go where options go: of one that was given up the server says what is wrong. The list of options is as large as
 * a screen, and who has no rights over them goes without it.
 */
export function kindOf(optionKey: string): Omit<EditKind, 'owns'> {
  return editKinds.find((kind) => kind.owns(optionKey)) ?? optionEdit;
}
