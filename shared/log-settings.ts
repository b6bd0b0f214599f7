// Settings of the log and of the dashboard.
import { booleanSetting, choiceSetting, integerSetting, retentionSetting } from '#shared/setting-values.ts';

export const logSettings = {
  LogConsumeEnabled: booleanSetting(true),
  /** Days after which rows of the log and tasks that have ended are deleted; 0: never. The dashboard and the books retain their sums. */
  LogRetentionDays: integerSetting(0, { min: 0, max: 36_500 }),
  /** The same of entries of the audit log. A short retention cannot hide a change. */
  AuditRetentionDays: retentionSetting(400, { least: 30, max: 36_500 }, { write: 'root' }),
  DataExportEnabled: booleanSetting(true),
  /** Minutes. */
  DataExportInterval: integerSetting(5, { min: 1, max: 10_080 }),
  DataExportDefaultTime: choiceSetting('hour', ['hour', 'day', 'week']),
};
