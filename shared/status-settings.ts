// Settings of the status page.
import { choiceSetting, linesSetting } from '#shared/setting-values.ts';

export const statusSettings = {
  /** Who may read the status page. While it is off, calls are not measured for it. */
  StatusPage: choiceSetting('off', ['off', 'members', 'public']),
  /** Models that the status page leaves out. */
  StatusPageHidden: linesSetting([]),
};
